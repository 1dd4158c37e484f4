local fine
fine, accepted, remaining, reset, retry = pcall(custom, own[step], key, limit, cost, interval, now)
if not fine then
	failure = message(accepted)
end
