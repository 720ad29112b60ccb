-- Opens a private room.
-- uses: rate
-- KEYS[1] room    STRING  the room as JSON, under its code
-- KEYS[2] seen    ZSET    member -> last sign of life (ms)
-- KEYS[3] rooms   SET     codes of the rooms in which the player sits
-- KEYS[4] request STRING  what the player's request id led to: JSON {print, answer}
-- KEYS[5] rate    STRING  the player's limit
-- ARGV: now, player, code, room JSON, idle_ms, fingerprint, request_ms, interval, burst, most rooms of a player
-- Returns {word, detail}: ok and repeated with the code, code_taken.

local now = tonumber(ARGV[1])
local seen = redis.call('GET', KEYS[4])
if seen then
  local request = cjson.decode(seen)
  if request.print ~= ARGV[6] then return {'request_id_reused', ''} end
  return {'repeated', request.answer}
end
if redis.call('EXISTS', KEYS[1]) == 1 then return {'code_taken', ''} end
if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[10]) then return {'too_many_rooms', ''} end
local wait = spent(KEYS[5], now, tonumber(ARGV[8]), tonumber(ARGV[9]))
if wait > 0 then return {'too_fast', tostring(wait)} end

charge(KEYS[5], now, tonumber(ARGV[8]))
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
redis.call('ZADD', KEYS[2], now, ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('SADD', KEYS[3], ARGV[3])
redis.call('PEXPIRE', KEYS[3], 86400000)
redis.call('SET', KEYS[4], cjson.encode({print = ARGV[6], answer = ARGV[3]}), 'PX', ARGV[7])
return {'ok', ARGV[3]}
