-- sanewindow tells whether the words can be the state of a window algorithm with
-- this interval. A window far ahead is sane: another server's clock opened it.
local function sanewindow(start, current, previous, interval)
	return start >= 0 and start <= maxTime and fmod(start, interval) == 0 and iscount(current) and iscount(previous)
end
