-- State: start of the window, used in it, used in the one before.
-- include window
local current, previous = 0, 0
if sane then
	if s0 >= start then -- the same window, or one that a clock ahead of ours has opened
		start, current, previous = s0, s1, s2
	elseif s0 == start - interval then
		previous = s1
	end
end
local used = previous + current -- all of it while a clock ahead of ours is in the window and we are not
if previous > 0 and now > start then
	local whole, rest = muldiv(start - now + interval, previous, interval)
	used = current + (rest > 0 and whole + 1 or whole)
end
-- include decide
reset = start - now + interval
if not retry then
	-- It fits when enough of the previous window has faded or, if the current one
	-- alone is too full, enough of that one in the next.
	local wait, fading, room = reset, previous, limit - current - cost
	if room < 0 then
		wait, fading, room = reset + interval, current, limit - cost
	end
	retry = wait - muldiv(room, interval, fading)
end
if accepted == 1 and cost > 0 then
	w0, w1, w2, ttl = start, current + cost, previous, reset + interval
end
