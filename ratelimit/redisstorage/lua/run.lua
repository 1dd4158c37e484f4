-- ARGV[1] holds, for each key, which of the steps decides and the numbers of the
-- request. The reply has four integers for each decision, up to the first refusal.
-- A step that fails ends it: with its error as the reply when nothing has been
-- decided before, so that clients see it, and else as text behind the decisions.
local reply, at = {}, 1
for _, key in ipairs(KEYS) do
	local step, limit, cost, interval, now
	step, limit, cost, interval, now, at = struct.unpack('<Bdddd', ARGV[1], at)
	local ok, accepted, remaining, reset, retry = pcall(steps[step], key, limit, cost, interval, now)
	local n = #reply
	if not ok then
		local failure = accepted
		if n == 0 then
			return type(failure) == 'table' and failure or redis.error_reply(failure)
		end
		reply[n + 1] = type(failure) == 'table' and failure.err or failure
		return reply
	end
	reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = accepted, remaining, reset, retry
	if accepted == 0 then
		return reply
	end
end
return reply
