-- State: start of the window, used in it.
-- include window
local used = 0
if sane and s0 >= start then
	start, used = s0, s1 -- the same window, or one that a clock ahead of ours has opened
end
-- include decide
reset = start - now + interval
retry = retry or reset
if accepted == 1 and cost > 0 then
	w0, w1, w2, ttl = start, used + cost, 0, reset
end
