-- Keeps or gives back the builder's lease.
--
-- KEYS[1]  lease (string)
-- ARGV[1]  owner
-- ARGV[2]  milliseconds to keep it from now on; 0: give it back
--
-- Returns 1, or 0 if it belongs to somebody else.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
if ARGV[2] == '0' then
  return redis.call('DEL', KEYS[1])
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
