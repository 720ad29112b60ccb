-- Adds one ticket to the end of a queue.
-- uses: tickets rate
-- KEYS[1..10] as in part_tickets.lua
-- KEYS[11] request  STRING  what the player's request id led to: JSON {print, answer}
-- KEYS[12] rate     STRING  the player's limit
-- KEYS[13] places   STRING  counter of places in all queues
-- ARGV: now, ghost_ms, ticket, player, queue, queue JSON, fingerprint, request_ms, interval, burst,
--       most tickets of the player, most tickets of all
-- Returns {word, detail}: ok and repeated with the ticket; already_in_match with the match ("" until it exists).

local now, ghost_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local ticket, player, queue = ARGV[3], ARGV[4], ARGV[5]

local seen = redis.call('GET', KEYS[11])
if seen then
  local request = cjson.decode(seen)
  if request.print ~= ARGV[7] then return {'request_id_reused', ''} end
  return {'repeated', request.answer}
end
local not_yet = unsettled()
if not_yet then return {not_yet, ''} end
local match = redis.call('HGET', KEYS[6], player)
if match then return {'already_in_match', existing(match)} end

local count = 0
for _, other in pairs(open_tickets(player)) do
  local t = read(other)
  if t and is_ghost(other, now, ghost_ms) then
    finish(other, t, 'expired', 'client_gone', now)
  else
    count = count + 1
  end
end
local there = open_tickets(player)[queue]
if there then return {'already_queued', there} end
if count >= tonumber(ARGV[11]) then return {'too_many_tickets', ''} end
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[12]) then return {'queue_full', ''} end
local wait = spent(KEYS[12], now, tonumber(ARGV[9]), tonumber(ARGV[10]))
if wait > 0 then return {'too_fast', tostring(wait)} end

charge(KEYS[12], now, tonumber(ARGV[9]))
local about = cjson.decode(ARGV[6])
local t = {
  player = player, queue = queue, place = redis.call('INCR', KEYS[13]), at = now, state = 'waiting',
  game = about.game, players = about.players,
}
local tickets = open_tickets(player)
tickets[queue] = ticket
set_open(player, tickets)
redis.call('ZADD', KEYS[3], 0, place_of(ticket, t))
redis.call('ZADD', KEYS[4], now, ticket)
redis.call('HSET', KEYS[10], queue, ARGV[6])
redis.call('SET', KEYS[11], cjson.encode({print = ARGV[7], answer = ticket}), 'PX', ARGV[8])
write(ticket, t)
return {'ok', ticket}
