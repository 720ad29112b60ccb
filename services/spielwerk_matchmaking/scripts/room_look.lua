-- Reads a room for somebody who names its code. A wrong code, a closed room and a room that is not for the caller are
-- one and the same, and count as a guess.
-- uses: rate
-- KEYS[1] room STRING, KEYS[2] seen ZSET (as in room_open.lua)
-- KEYS[3] rate STRING  guesses of the player
-- KEYS[4] rate STRING  guesses from the network address
-- ARGV: now, player, idle_ms, "1" if the caller may be a newcomer, interval and burst (player), interval and burst (address)
-- Returns {ok, room JSON, members seen: name, ms, ..}, {none} or {slow, wait in ms}.

local now, player = tonumber(ARGV[1]), ARGV[2]
local raw = redis.call('GET', KEYS[1])
local room = raw and cjson.decode(raw)

local function is_member()
  for _, seat in ipairs(room and room.seats or {}) do
    if seat.player == player then return true end
  end
  return false
end

-- Members guess nothing: wrong codes of others behind their address must not keep them out.
local member = is_member()
if not member then
  local wait = math.max(
    spent(KEYS[3], now, tonumber(ARGV[5]), tonumber(ARGV[6])),
    spent(KEYS[4], now, tonumber(ARGV[7]), tonumber(ARGV[8])))
  if wait > 0 then return {'slow', tostring(wait)} end
end
if not member and not (ARGV[4] == '1' and room and room.state == 'open') then
  charge(KEYS[3], now, tonumber(ARGV[5]))
  charge(KEYS[4], now, tonumber(ARGV[7]))
  return {'none'}
end
if room.state == 'open' then
  redis.call('ZADD', KEYS[2], now, player)
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return {'ok', raw, redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')}
