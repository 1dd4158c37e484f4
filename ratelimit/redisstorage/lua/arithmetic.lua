-- Lua counts in doubles, exact up to 2^53. Nothing here leaves that range while
-- the times of a decision are less than 2^53 microseconds apart. fmod is exact;
-- the operator % divides first and is not.
local floor, fmod, max, min = math.floor, math.fmod, math.max, math.min
local exact = 2 ^ 53

-- muldiv returns the quotient and the remainder of a*b/c for 0 <= a <= c < 2^45
-- and b >= 0. Products too large for a double are divided digit by digit, in
-- base 128 from the top.
local function muldiv(a, b, c)
	local product = a * b
	if product < exact then
		local rest = fmod(product, c)
		return (product - rest) / c, rest
	end
	local unit = 1
	while unit * 128 <= b do
		unit = unit * 128
	end
	local quotient, rest = 0, 0
	while unit >= 1 do
		local digit = floor(b / unit)
		b = b - digit * unit
		local part = rest * 128 + a * digit
		rest = fmod(part, c)
		quotient = quotient * 128 + (part - rest) / c
		unit = unit / 128
	end
	return quotient, rest
end

-- ceildiv is a/b rounded up.
local function ceildiv(a, b)
	local rest = fmod(a, b)
	if rest > 0 then
		return (a - rest) / b + 1
	end
	return (a - rest) / b
end
