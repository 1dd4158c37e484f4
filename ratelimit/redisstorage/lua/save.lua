-- A state is kept for its lifetime and a second. The clock of this server goes on
-- while a request is on its way: for the next one, whose time was read a moment
-- ago, the state may still count. One that counts no more does no harm.
if ttl and not failure then
	local rest = ttl % 1000
	local life = (ttl - rest) / 1000 + 1000
	if rest > 0 then
		life = life + 1
	end
	failure = call('SET', key, pack('<ddd', w0, w1, w2), 'PX', life).err
end
