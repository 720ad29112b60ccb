-- Makes a complete shadow the generation that is read, in one step.
--
-- KEYS[1]  name of the live generation (string)
-- KEYS[2]  checkpoint of the shadow (hash)
-- KEYS[3]  checkpoint of the generation that is live now (hash; the shadow's own if there is none)
-- ARGV[1]  the shadow
-- ARGV[2]  the live generation it replaces, or ""
-- ARGV[3]  revision of the shadow that was seen as complete
--
-- Returns 1, or 0 if the shadow or the live generation is not what the caller thinks.
-- The replaced checkpoint is removed here, so that nobody writes to the old boards any more.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then
  return 0
end
if redis.call('HGET', KEYS[2], 'revision') ~= ARGV[3] then
  return 0
end
if ARGV[2] ~= '' then
  redis.call('DEL', KEYS[3])
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
