-- Part of the scripts on tickets, which all begin with the same keys:
-- KEYS[1]  checkpoint HASH  of each stream (names end with its tag): stream, created, position, mark, begun and read (the
--                           runs of the store in which reading it has begun, and come to its end);
--                           of all: run_id, settled, settle_until
-- KEYS[2]  tickets    HASH  ticket -> JSON {player, queue, game, players, place, at, state, match?, seat?, reason?}
-- KEYS[3]  waiting    ZSET  "<queue>|<place, 15 digits>|<ticket>", score 0: in order of arrival within a queue
-- KEYS[4]  beats      ZSET  ticket that waits -> last sign of life of its client (ms)
-- KEYS[5]  open       HASH  player -> JSON {queue: ticket}, tickets that wait
-- KEYS[6]  busy       HASH  player -> its running queue match
-- KEYS[7]  launches   HASH  match -> JSON {match, game, options, seats, watch, origin, tickets?, queue?, done?,
--                           rematch_of?}, promised; done or gone once it exists
-- KEYS[8]  leases     ZSET  match not yet known to exist -> when another instance may create it (ms)
-- KEYS[9]  finished   ZSET  ticket that is over -> when it is forgotten (ms)
-- KEYS[10] queues     HASH  queue -> JSON {game, options, players}

local KEEP_MS = 3600000

local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
end

-- nil if players may be paired; after a restart of the store, which may have lost pairings, `restarted` until somebody
-- has begun to read the log again, then `settling` until its end.
local function unsettled()
  local known = redis.call('HMGET', KEYS[1], 'settled', 'run_id')
  if known[2] ~= run_id() then return 'restarted' end
  return known[1] ~= '1' and 'settling' or nil
end

local function tell(ticket)
  redis.call('PUBLISH', 'sw:{mm}:changed', 'ticket ' .. ticket)
end

local function read(ticket)
  local raw = redis.call('HGET', KEYS[2], ticket)
  return raw and cjson.decode(raw) or nil
end

local function write(ticket, t)
  redis.call('HSET', KEYS[2], ticket, cjson.encode(t))
  tell(ticket)
end

local function place_of(ticket, t)
  return t.queue .. '|' .. string.format('%015d', t.place) .. '|' .. ticket
end

local function open_tickets(player)
  return cjson.decode(redis.call('HGET', KEYS[5], player) or '{}')
end

local function set_open(player, tickets)
  if next(tickets) == nil then
    redis.call('HDEL', KEYS[5], player)
  else
    redis.call('HSET', KEYS[5], player, cjson.encode(tickets))
  end
end

local function leave_queue(ticket, t)
  redis.call('ZREM', KEYS[3], place_of(ticket, t))
  redis.call('ZREM', KEYS[4], ticket)
  local tickets = open_tickets(t.player)
  if tickets[t.queue] == ticket then
    tickets[t.queue] = nil
    set_open(t.player, tickets)
  end
end

local function finish(ticket, t, state, reason, now)
  leave_queue(ticket, t)
  t.state, t.reason, t.match, t.seat = state, reason, nil, nil
  redis.call('ZADD', KEYS[9], now + KEEP_MS, ticket)
  write(ticket, t)
end

local function is_ghost(ticket, now, ghost_ms)
  local seen = redis.call('ZSCORE', KEYS[4], ticket)
  return not seen or tonumber(seen) < now - ghost_ms
end

-- A promised match may yet be refused: players are told of it once it exists, "" until then.
local function existing(match)
  local raw = redis.call('HGET', KEYS[7], match)
  return (not raw or cjson.decode(raw).done) and match or ''
end

local function free(player, match)
  if redis.call('HGET', KEYS[6], player) == match then
    redis.call('HDEL', KEYS[6], player)
  end
end

-- To the place it had; its client has the usual time to show up again.
local function put_back(ticket, t, launch, now)
  local tickets = open_tickets(t.player)
  if tickets[t.queue] then
    finish(ticket, t, 'cancelled', 'already_queued', now)
    return
  end
  tickets[t.queue] = ticket
  set_open(t.player, tickets)
  t.state, t.match, t.seat = 'waiting', nil, nil
  redis.call('ZADD', KEYS[3], 0, place_of(ticket, t))
  redis.call('ZADD', KEYS[4], now, ticket)
  redis.call('ZREM', KEYS[9], ticket)
  local queue = {game = launch.game, options = launch.options, players = #launch.seats}
  redis.call('HSET', KEYS[10], t.queue, cjson.encode(queue))
  write(ticket, t)
end

-- The match is known to exist; only a queue's launch is kept, until the match ends.
local function landed(match, now)
  redis.call('ZREM', KEYS[8], match)
  local raw = redis.call('HGET', KEYS[7], match)
  if not raw then return end
  local launch = cjson.decode(raw)
  if not launch.tickets then
    redis.call('HDEL', KEYS[7], match)
    if launch.rematch_of then redis.call('PUBLISH', 'sw:{mm}:changed', 'rematch ' .. launch.rematch_of) end
    return
  end
  if launch.done then return end
  launch.done = true
  redis.call('HSET', KEYS[7], match, cjson.encode(launch))
  for _, ticket in ipairs(launch.tickets) do
    local t = read(ticket)
    if t and t.match == match then
      t.state = 'matched'
      redis.call('ZADD', KEYS[9], now + KEEP_MS, ticket)
      write(ticket, t)
    end
  end
end
