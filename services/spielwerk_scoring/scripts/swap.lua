-- Makes a complete shadow the generation that is read, in one step.
--
-- KEYS[1]  name of the live generation (string)
-- KEYS[2]  checkpoint of the shadow (hash)
-- KEYS[3]  checkpoint of the generation that is live now (hash; the shadow's own if there is none)
-- KEYS[4]  lease of the builder (string)
-- ARGV[1]  the shadow
-- ARGV[2]  the live generation it replaces, or ""
-- ARGV[3]  the lease's owner, who has made the shadow
--
-- Returns 1, or 0 if the lease belongs to somebody else, another generation is live than the caller
-- thinks, or the shadow is gone.
-- The replaced checkpoint is removed here, so that nobody writes to the old boards any more.
if redis.call('GET', KEYS[4]) ~= ARGV[3] then
  return 0
end
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then
  return 0
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  return 0
end
if ARGV[2] ~= '' then
  redis.call('DEL', KEYS[3])
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
