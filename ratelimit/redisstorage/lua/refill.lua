-- ceildiv is a/b rounded up.
local function ceildiv(a, b)
	local rest = a % b
	if rest < 0 then
		rest = rest + b
	end
	if rest > 0 then
		return (a - rest) / b + 1
	end
	return a / b
end

-- refill is the time in which tokens, at most the limit, and fraction/interval of
-- a token come back, rounded up.
local function refill(tokens, fraction, limit, interval)
	local time, rest = muldiv(tokens, interval, limit)
	return time + ceildiv(rest + fraction, limit)
end
