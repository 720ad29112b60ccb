-- Begins a generation for the holder of the builder's lease.
--
-- KEYS[1]     lease of the builder (string)
-- KEYS[2]     names of all generations (set)
-- KEYS[3]     checkpoint of the new generation (hash)
-- ARGV[1]     the lease's owner
-- ARGV[2]     the new generation
-- ARGV[3...]  fields and values of the checkpoint
--
-- Returns 1, or 0 if the lease belongs to somebody else.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('HSET', KEYS[3], unpack(ARGV, 3))
return 1
