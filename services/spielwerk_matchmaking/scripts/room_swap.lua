-- Replaces a room if nobody else has changed it meanwhile.
-- KEYS[1] room STRING, KEYS[2] seen ZSET (as in room_open.lua)
-- KEYS[3] launches HASH, KEYS[4] leases ZSET (as 7 and 8 in part_tickets.lua)
-- KEYS[5..] rooms SET of each player who came (first) or left
-- ARGV: the room as it was read, the new one ("" closes it), how long it is kept (ms), code, room id, match ("" if none),
--       launch JSON, lease end, how many players came, most rooms of a player
-- Returns ok, changed (read again) or too_many_rooms.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'changed' end
local came = 4 + tonumber(ARGV[9])
for i = 5, came do
  local full = redis.call('SCARD', KEYS[i]) >= tonumber(ARGV[10])
  if full and redis.call('SISMEMBER', KEYS[i], ARGV[4]) == 0 then return 'too_many_rooms' end
end

for i = 5, #KEYS do
  if i <= came then
    redis.call('SADD', KEYS[i], ARGV[4])
    redis.call('PEXPIRE', KEYS[i], 86400000)
  else
    redis.call('SREM', KEYS[i], ARGV[4])
  end
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1], KEYS[2])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[6], ARGV[7])
  redis.call('ZADD', KEYS[4], ARGV[8], ARGV[6])
end
redis.call('PUBLISH', 'sw:{mm}:changed', 'room ' .. ARGV[5])
return 'ok'
