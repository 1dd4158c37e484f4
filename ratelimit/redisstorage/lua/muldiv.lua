-- Lua counts in doubles, exact up to 2^53. Nothing here leaves that range while
-- the times of a decision are less than 2^53 microseconds apart.
--
-- The operator % is a - floor(a/b)*b. The quotient of doubles can be rounded up to
-- the next integer, and then the rest is exact but b too small: below zero. It is
-- never too large, and an inlined operator takes less than a call of fmod.

-- muldiv returns the quotient and the remainder of a*b/c for 0 <= a <= c < 2^45
-- and b >= 0. Products too large for a double are divided digit by digit, in
-- base 128 from the top.
local function muldiv(a, b, c)
	local product = a * b
	if product < 2 ^ 53 then
		local rest = product % c
		if rest < 0 then
			rest = rest + c
		end
		return (product - rest) / c, rest
	end
	local unit = 1
	while unit * 128 <= b do
		unit = unit * 128
	end
	local quotient, rest = 0, 0
	while unit >= 1 do
		local digit = (b - b % unit) / unit
		b = b - digit * unit
		local part = rest * 128 + a * digit
		rest = part % c
		if rest < 0 then
			rest = rest + c
		end
		quotient = quotient * 128 + (part - rest) / c
		unit = unit / 128
	end
	return quotient, rest
end
