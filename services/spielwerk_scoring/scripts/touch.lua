-- Refuses all writes that were computed before this moment.
--
-- KEYS[1]  checkpoint of a generation (hash)
--
-- Returns 1, or 0 if the generation is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HINCRBY', KEYS[1], 'revision', 1)
return 1
