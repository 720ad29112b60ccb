-- Removes keys of a generation that is not live, for the holder of the builder's lease.
--
-- KEYS[1]     lease of the builder (string)
-- KEYS[2]     name of the live generation (string)
-- KEYS[3]     names of all generations (set)
-- KEYS[4...]  what to remove
-- ARGV[1]     the lease's owner
-- ARGV[2]     the generation
-- ARGV[3]     '1' if nothing is left of it then, or '0'
--
-- Returns 1, or 0 if the lease belongs to somebody else or the generation is live: a builder that
-- stood still knows neither, and what it believes to be old may be what everybody reads.
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[2]) == ARGV[2] then
  return 0
end
redis.call('UNLINK', unpack(KEYS, 4))
if ARGV[3] == '1' then
  redis.call('SREM', KEYS[3], ARGV[2])
end
return 1
