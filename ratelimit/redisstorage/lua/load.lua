-- A state is three doubles in one string. What is no state counts as none.
local saved = call('GET', key)
local s0, s1, s2 = 0, 0, 0
if saved then
	if #saved == 24 then
		s0, s1, s2 = unpack('<ddd', saved)
		if s0 % 1 ~= 0 or s1 % 1 ~= 0 or s2 % 1 ~= 0 then
			s0, s1, s2 = 0, 0, 0
		end
	else
		failure = saved.err
	end
end
local w0, w1, w2, ttl -- what to save, for how many microseconds
