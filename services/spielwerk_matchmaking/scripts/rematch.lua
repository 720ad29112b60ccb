-- One player's yes to playing an ended match again; the last yes promises the new match.
-- KEYS[1] ended    STRING  what a rematch needs: JSON {game, options, seats, watch}
-- KEYS[2] offer    STRING  JSON {yes: {player: true}, until, match?}
-- KEYS[3] launches HASH, KEYS[4] leases ZSET (as 7 and 8 in part_tickets.lua)
-- ARGV: now, ended match, player, new match (a fresh id), offer_ms, lease end, keep_ms, "1" to say yes, "" to look only
-- Returns {word, offer JSON, launch JSON}: none (not ended, or not the caller's), open, promised (by this call with the
-- launch, or before) until the new match exists, agreed.

local now, old, player = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local raw = redis.call('GET', KEYS[1])
if not raw then return {'none', '', ''} end
local ended = cjson.decode(raw)
local humans, sits = {}, false
for _, seat in ipairs(ended.seats) do
  if seat.player then humans[#humans + 1] = seat.player end
  if seat.player == player then sits = true end
end
if not sits then return {'none', '', ''} end

local offer = cjson.decode(redis.call('GET', KEYS[2]) or '{}')
if offer.match then
  local promised = redis.call('HEXISTS', KEYS[3], offer.match) == 1
  return {promised and 'promised' or 'agreed', cjson.encode(offer), ''}
end
if ARGV[8] ~= '1' then return {'open', cjson.encode(offer), ''} end
if not offer['until'] or offer['until'] <= now then
  offer = {yes = {}, ['until'] = now + tonumber(ARGV[5])}
end
offer.yes[player] = true
local all = true
for _, human in ipairs(humans) do all = all and offer.yes[human] end

local launch = ''
if all then
  offer.match = ARGV[4]
  local seats, n = {}, #ended.seats
  for i, seat in ipairs(ended.seats) do seats[i % n + 1] = seat end
  launch = cjson.encode({
    match = ARGV[4], game = ended.game, options = ended.options, watch = ended.watch,
    origin = 'rematch', seats = seats, rated = ended.rated, rematch_of = old,
  })
  redis.call('HSET', KEYS[3], ARGV[4], launch)
  redis.call('ZADD', KEYS[4], ARGV[6], ARGV[4])
end
local stored = cjson.encode(offer)
redis.call('SET', KEYS[2], stored, 'PX', all and ARGV[7] or ARGV[5])
redis.call('PUBLISH', 'sw:{mm}:changed', 'rematch ' .. old)
return {all and 'promised' or 'open', stored, launch}
