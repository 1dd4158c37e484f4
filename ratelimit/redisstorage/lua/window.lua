-- The window of now, and whether the state can be one of a window algorithm with
-- this interval. A window far ahead is sane: another server's clock opened it.
local elapsed = now % interval
if elapsed < 0 then
	elapsed = elapsed + interval -- see muldiv
end
local start = now - elapsed
local sane = s0 >= 0 and s0 <= 2 ^ 53 and (s0 == start or s0 % interval == 0)
	and s1 >= 0 and s1 <= 1e9 and s2 >= 0 and s2 <= 1e9
