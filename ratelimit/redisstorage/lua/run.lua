-- ARGV[1] holds, for each key, which of the steps decides and the numbers of the
-- request. The reply has four integers for each decision, up to the first refusal.
-- A step that fails ends it: with its error as the reply when nothing has been
-- decided before, so that clients see it, and else as text behind the decisions.
--
-- Every call makes anew what is declared here, functions above all. So a script
-- has those that its algorithms need, and the algorithms stand inside of the loop.
local call, unpack, pack = redis.pcall, struct.unpack, struct.pack
-- include functions
local reply, n, at = {}, 0, 1
for i = 1, #KEYS do
	local key = KEYS[i]
	local step, limit, cost, interval, now, after = unpack('<Bdddd', ARGV[1], at)
	local accepted, remaining, reset, retry, failure
	at = after
	-- include steps
	if failure then
		if n == 0 then
			return {err = failure}
		end
		reply[n + 1] = failure
		return reply
	end
	if #KEYS == 1 then
		return {accepted, remaining, reset, retry} -- a table that does not have to grow
	end
	reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = accepted, remaining, reset, retry
	n = n + 4
	if accepted == 0 then
		return reply
	end
end
return reply
