-- refill is the time in which tokens, at most the limit, and fraction/interval of
-- a token come back, rounded up.
local function refill(tokens, fraction, limit, interval)
	local time, rest = muldiv(tokens, interval, limit)
	return time + ceildiv(rest + fraction, limit)
end

-- State: the debt of the bucket at a time: used tokens and fraction/interval of a
-- token.
local function tokenBucket(key, limit, cost, interval, now)
	local at, used, fraction = now, 0, 0
	local s0, s1, s2 = load(key)
	if s0 >= 0 and s0 <= maxTime and iscount(s1) and s2 >= 0 and s2 < interval then
		at = max(now, s0) -- time never goes back, so no clock refills a bucket twice
		if at - s0 < interval then
			local tokens, rest = muldiv(at - s0, limit, interval)
			used, fraction = s1 - tokens, s2 - rest
			if fraction < 0 then
				used, fraction = used - 1, fraction + interval
			end
			if used < 0 then
				used, fraction = 0, 0
			end
		end
	end
	local lag = at - now -- positive: this clock is behind the one that wrote the state
	local accepted, remaining, retry = decide(limit, cost, fraction > 0 and used + 1 or used)
	if not retry then
		-- A lowered limit can leave a debt that takes longer than an interval to
		-- refill. It is forgiven one interval after it was made.
		local missing = min(used + cost - limit, limit)
		retry = lag + min(refill(missing, fraction, limit, interval), s0 - at + interval)
	end
	if accepted == 1 then
		used = used + cost
	end
	local reset = 0
	if fraction > 0 then
		reset = lag + ceildiv(fraction, limit)
	elseif used > 0 then
		reset = lag + ceildiv(interval, limit)
	end
	if accepted == 1 and cost > 0 then
		save(key, at, used, fraction, lag + refill(used, fraction, limit, interval))
	end
	return accepted, remaining, reset, retry
end
