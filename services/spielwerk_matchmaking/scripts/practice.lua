-- Remembers which match a request for practice leads to.
-- uses: rate
-- KEYS[1] request STRING (as in room_open.lua), KEYS[2] rate STRING, KEYS[3] running HASH (as 11 in fold.lua)
-- ARGV: now, player, match (a fresh id), fingerprint, request_ms, interval, burst, most running practice matches
-- Returns {word, detail}: ok and repeated with the match.

local now = tonumber(ARGV[1])
local seen = redis.call('GET', KEYS[1])
if seen then
  local request = cjson.decode(seen)
  if request.print ~= ARGV[4] then return {'request_id_reused', ''} end
  return {'repeated', request.answer}
end
local count = 0
for _, match in pairs(cjson.decode(redis.call('HGET', KEYS[3], ARGV[2]) or '{}')) do
  if match.origin == 'practice' then count = count + 1 end
end
if count >= tonumber(ARGV[8]) then return {'too_many_matches', ''} end
local wait = spent(KEYS[2], now, tonumber(ARGV[6]), tonumber(ARGV[7]))
if wait > 0 then return {'too_fast', tostring(wait)} end

charge(KEYS[2], now, tonumber(ARGV[6]))
redis.call('SET', KEYS[1], cjson.encode({print = ARGV[4], answer = ARGV[3]}), 'PX', ARGV[5])
return {'ok', ARGV[3]}
