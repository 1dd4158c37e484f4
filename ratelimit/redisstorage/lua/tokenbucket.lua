-- State: the debt of the bucket at a time: used tokens and fraction/interval of a
-- token.
local at, used, fraction = now, 0, 0
if s0 >= 0 and s0 <= 2 ^ 53 and s1 >= 0 and s1 <= 1e9 and s2 >= 0 and s2 < interval then
	if s0 > now then
		at = s0 -- time never goes back, so no clock refills a bucket twice
	end
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
local lag, owed = at - now, used -- lag is positive when this clock is behind the one that wrote the state
if fraction > 0 then
	used = used + 1 -- what is begun counts in full
end
-- include decide
if not retry then
	-- A lowered limit can leave a debt that takes longer than an interval to
	-- refill. It is forgiven one interval after it was made.
	local missing, forgiven = owed + cost - limit, s0 - at + interval
	local wait = refill(missing < limit and missing or limit, fraction, limit, interval)
	retry = lag + (wait < forgiven and wait or forgiven)
end
if accepted == 1 then
	owed = owed + cost
end
reset = 0
if fraction > 0 then
	reset = lag + ceildiv(fraction, limit)
elseif owed > 0 then
	reset = lag + ceildiv(interval, limit)
end
if accepted == 1 and cost > 0 then
	w0, w1, w2, ttl = at, owed, fraction, lag + refill(owed, fraction, limit, interval)
end
