-- ARGV[1] holds, for each key, which of the steps decides and the numbers of the
-- request. The reply has four integers for each decision, up to the first refusal.
-- A step that fails ends it: with its error as the reply when nothing has been
-- decided before, so that clients see it, and else as text behind the decisions.

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

local reply, at = {}, 1
for _, key in ipairs(KEYS) do
	local step, limit, cost, interval, now
	step, limit, cost, interval, now, at = struct.unpack('<Bdddd', ARGV[1], at)
	local ok, accepted, remaining, reset, retry = pcall(steps[step], key, limit, cost, interval, now)
	local n = #reply
	if not ok then
		local failure = message(accepted)
		if n == 0 then
			return {err = failure}
		end
		reply[n + 1] = failure
		return reply
	end
	reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = accepted, remaining, reset, retry
	if accepted == 0 then
		return reply
	end
end
return reply
