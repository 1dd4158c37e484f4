-- The cost against what counts as used. A retry of nil is the algorithm's to find.
remaining = limit - used
if remaining < 0 then
	remaining = 0 -- the limit was lowered
end
accepted = 0
if cost <= remaining then
	accepted, remaining, retry = 1, remaining - cost, -1
elseif cost > limit then
	retry = -2
end
