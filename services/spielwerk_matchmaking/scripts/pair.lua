-- Takes the oldest living tickets of one queue and promises them a match, all in one step.
-- uses: tickets
-- KEYS[1..10] as in part_tickets.lua
-- ARGV: now, ghost_ms, queue, match (a fresh id), lease end, order (JSON: 1 to many, mixed; who of the n chosen
--       comes to seat 0, 1, ..)
-- Returns {word, launch JSON, since when each waits ..}: paired; none (too few); again (many ghosts were removed); restarted, settling.

local now, ghost_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local queue, match, order = ARGV[3], ARGV[4], cjson.decode(ARGV[6])
local CHUNK, ROUNDS = 16, 20

local not_yet = unsettled()
if not_yet then return {not_yet, ''} end
if redis.call('HEXISTS', KEYS[7], match) == 1 then return {'none', ''} end
local raw = redis.call('HGET', KEYS[10], queue)
if not raw then return {'none', ''} end
local about = cjson.decode(raw)

-- "}" follows "|" in ASCII, so this is every place of the queue and nothing else.
local function next_places(skip)
  return redis.call('ZRANGEBYLEX', KEYS[3], '[' .. queue .. '|', '(' .. queue .. '}', 'LIMIT', skip, CHUNK)
end

local chosen, rounds = {}, 0
while #chosen < about.players do
  local places = next_places(#chosen)
  if #places == 0 then
    if #chosen == 0 then redis.call('HDEL', KEYS[10], queue) end
    return {'none', ''}
  end
  for _, place in ipairs(places) do
    local ticket = string.match(place, '|([^|]+)$')
    local t = read(ticket)
    if not t then
      redis.call('ZREM', KEYS[3], place)
    elseif redis.call('HEXISTS', KEYS[6], t.player) == 1 then
      finish(ticket, t, 'cancelled', 'already_in_match', now)
    elseif is_ghost(ticket, now, ghost_ms) then
      finish(ticket, t, 'expired', 'client_gone', now)
    elseif #chosen < about.players then
      chosen[#chosen + 1] = ticket
    end
  end
  rounds = rounds + 1
  if rounds == ROUNDS and #chosen < about.players then return {'again', ''} end
end

local launch = {
  match = match, game = about.game, options = about.options, watch = 'participants',
  origin = 'queue', queue = queue, seats = {}, tickets = {},
}
local mixed, since = {}, {}
for _, which in ipairs(order) do
  if which <= #chosen then mixed[#mixed + 1] = chosen[which] end
end
for seat, ticket in ipairs(mixed) do
  local t = read(ticket)
  leave_queue(ticket, t)
  for _, other in pairs(open_tickets(t.player)) do
    local elsewhere = read(other)
    if elsewhere then finish(other, elsewhere, 'cancelled', 'matched_elsewhere', now) end
  end
  t.state, t.match, t.seat = 'pairing', match, seat - 1
  redis.call('HSET', KEYS[2], ticket, cjson.encode(t))
  redis.call('HSET', KEYS[6], t.player, match)
  launch.seats[seat] = {player = t.player}
  launch.tickets[seat] = ticket
  since[seat] = string.format('%.0f', t.at)
end
local stored = cjson.encode(launch)
redis.call('HSET', KEYS[7], match, stored)
redis.call('ZADD', KEYS[8], tonumber(ARGV[5]), match)
return {'paired', stored, unpack(since)}
