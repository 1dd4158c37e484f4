-- State: start of the window, used in it.
local function fixedWindow(key, limit, cost, interval, now)
	local start, used = now - fmod(now, interval), 0
	local s0, s1, s2 = load(key)
	if s0 >= start and sanewindow(s0, s1, s2, interval) then
		start, used = s0, s1 -- the same window, or one that a clock ahead of ours has opened
	end
	local accepted, remaining, retry = decide(limit, cost, used)
	local reset = start - now + interval
	if accepted == 1 and cost > 0 then
		save(key, start, used + cost, 0, reset)
	end
	return accepted, remaining, reset, retry or reset
end
