-- custom is a step by an algorithm of the program. Its script gets its numbers as
-- text, and what it returns is checked: Redis would cut fractions off and replies
-- short.
local function custom(script, key, limit, cost, interval, now)
	local reply = script({key}, {
		string.format('%.0f', limit), string.format('%.0f', cost),
		string.format('%.0f', interval), string.format('%.0f', now),
	})
	if type(reply) ~= 'table' then
		error('the script returned no table', 0)
	elseif reply.err then
		error(reply.err, 0)
	elseif #reply ~= 4 then
		error('the script returned ' .. #reply .. ' values instead of four integers', 0)
	end
	for i = 1, 4 do
		local n = reply[i]
		if type(n) ~= 'number' or n % 1 ~= 0 or n > 2 ^ 53 or n < -2 ^ 53 then
			error('value ' .. i .. ' of what the script returned is no integer', 0)
		end
	end
	if reply[1] ~= 0 and reply[1] ~= 1 then -- nothing behind it may be charged
		error(string.format('accepted is %.0f instead of 0 or 1', reply[1]), 0)
	end
	return reply[1], reply[2], reply[3], reply[4]
end

-- message is what a script has failed with, which may be any value.
local function message(failure)
	if type(failure) == 'table' then
		failure = rawget(failure, 'err')
	end
	if type(failure) == 'string' or type(failure) == 'number' then
		return tostring(failure)
	end
	return 'the script failed with a value of type ' .. type(failure)
end
