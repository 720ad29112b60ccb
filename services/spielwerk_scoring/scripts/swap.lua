-- Makes a complete shadow the generation that is read, in one step.
--
-- KEYS[1]  name of the live generation (string)
-- KEYS[2]  checkpoint of the shadow (hash)
-- KEYS[3]  checkpoint of the generation that is live now (hash; the shadow's own if there is none)
-- ARGV[1]  the shadow
-- ARGV[2]  the live generation it replaces, or ""
-- ARGV[3]  revision of the shadow that was seen as complete
--
-- Returns 'swapped', 'behind' (the live one has applied more of the same stream: read on) or
-- 'changed' (the shadow or the live generation is not what the caller thinks).
-- The replaced checkpoint is removed here, so that nobody writes to the old boards any more.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then
  return 'changed'
end
local shadow = redis.call('HMGET', KEYS[2], 'revision', 'stream', 'created', 'sequence')
if shadow[1] ~= ARGV[3] then
  return 'changed'
end

if ARGV[2] ~= '' then
  local live = redis.call('HMGET', KEYS[3], 'stream', 'created', 'sequence')
  local same = live[1] == shadow[2] and live[2] == shadow[3]
  if same and tonumber(live[3]) > tonumber(shadow[4]) and ARGV[4] ~= 'anyway' then
    return 'behind'
  end
  redis.call('DEL', KEYS[3])
end
redis.call('SET', KEYS[1], ARGV[1])
return 'swapped'
