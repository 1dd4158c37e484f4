-- A state is three doubles in one string. What is no state counts as none.
local maxTime, maxCount = 2 ^ 53, 1e9

local function load(key)
	local saved = redis.call('GET', key)
	if not saved or #saved ~= 24 then
		return 0, 0, 0
	end
	local a, b, c = struct.unpack('<ddd', saved)
	if a ~= floor(a) or b ~= floor(b) or c ~= floor(c) then
		return 0, 0, 0
	end
	return a, b, c
end

-- save keeps a state for ttl microseconds and a second. The clock of this server
-- goes on while a request is on its way: for the next one, whose time was read a
-- moment ago, the state may still count. One that counts no more does no harm.
local function save(key, a, b, c, ttl)
	redis.call('SET', key, struct.pack('<ddd', a, b, c), 'PX', ceildiv(ttl, 1000) + 1000)
end

local function iscount(n)
	return n >= 0 and n <= maxCount
end

-- decide weighs the cost against what counts as used. It returns accepted,
-- remaining, retryAfter; a retryAfter of nil is the algorithm's to find.
local function decide(limit, cost, used)
	local left = max(0, limit - used)
	if cost <= left then
		return 1, left - cost, -1
	elseif cost > limit then
		return 0, left, -2
	end
	return 0, left, nil
end
