-- Applies openings and ends of matches in the order of the log, together with the checkpoint.
-- uses: tickets
-- KEYS[1..10] as in part_tickets.lua
-- KEYS[11] running  HASH    player -> JSON {match: {game, seat, origin}}
-- KEYS[12] matches  HASH    running match -> JSON of what a rematch needs
-- KEYS[13..] ended  STRING  one for each end with a result, in order: what a rematch needs, until `rematch_ms`
--                           after that end
-- ARGV: now, position before these messages, position after them, "1" at the end of the log, rematch_ms, facts JSON,
--       mark of the last of these messages ("" if there are none), tag of the stream, tags of all streams JSON:
--       {sequence, kind "open", match, game, origin, seats: [{seat, player}], about}
--       {sequence, kind "end", match, origin, players: [..], reason, joined: {player: true}, rematch, at}
-- Returns {ok, 0}; {early, wait in ms} if the end of the log was reached before the store has settled (another stream may
-- have begun later): then fold once more; {gap, 0} or {restarted, 0} if reading must begin anew at the checkpoint.

local now, facts = tonumber(ARGV[1]), cjson.decode(ARGV[6])
local run, tag = run_id(), ARGV[8]
local known = redis.call('HMGET', KEYS[1], 'position' .. tag, 'run_id', 'settled', 'settle_until', 'begun' .. tag)
if not known[1] or known[2] ~= run or known[5] ~= run then return {'restarted', 0} end
local position = tonumber(known[1])
if tonumber(ARGV[2]) > position then return {'gap', 0} end

local function running_of(player)
  return cjson.decode(redis.call('HGET', KEYS[11], player) or '{}')
end

local function set_running(player, matches)
  if next(matches) == nil then
    redis.call('HDEL', KEYS[11], player)
  else
    redis.call('HSET', KEYS[11], player, cjson.encode(matches))
  end
end

-- The promise of a queue that this match fulfils. Rooms and rematches are settled by whoever creates their matches.
local function promise_of(fact)
  local raw = redis.call('HGET', KEYS[7], fact.match)
  local launch = raw and cjson.decode(raw) or {}
  return launch.tickets and launch.origin == fact.origin and launch or nil
end

-- Whether the match is the one that was promised under its id, and not a foreign one.
local function is_promised(fact)
  local launch = promise_of(fact)
  if not launch then return false end
  for _, sitting in ipairs(fact.seats) do
    local seat = launch.seats[sitting.seat + 1]
    if not seat or seat.player ~= sitting.player then return false end
  end
  return true
end

local function opened(fact)
  for _, sitting in ipairs(fact.seats) do
    local matches = running_of(sitting.player)
    matches[fact.match] = {game = fact.game, seat = sitting.seat, origin = fact.origin}
    set_running(sitting.player, matches)
    if fact.origin == 'queue' then redis.call('HSET', KEYS[6], sitting.player, fact.match) end
  end
  redis.call('HSET', KEYS[12], fact.match, fact.about)
  if is_promised(fact) then landed(fact.match, now) end
end

-- After a no-show those who had joined wait again at their old place.
local function settle_tickets(fact)
  local launch = promise_of(fact)
  if not launch then return end
  for _, ticket in ipairs(launch.tickets) do
    local t = read(ticket)
    if t and t.match == fact.match and fact.reason == 'no_show' then
      if fact.joined[t.player] then
        put_back(ticket, t, launch, now)
      else
        finish(ticket, t, 'expired', 'no_show', now)
      end
    end
  end
  redis.call('HDEL', KEYS[7], fact.match)
  redis.call('ZREM', KEYS[8], fact.match)
end

-- After a loss of the store the streams are read beside each other: a match of another stream that still runs may have
-- been read before one that was over long ago.
local function keep_busy(player, matches)
  if redis.call('HEXISTS', KEYS[6], player) == 1 then return end
  for match, about in pairs(matches) do
    if about.origin == 'queue' then redis.call('HSET', KEYS[6], player, match) end
  end
end

local function ended(fact, key)
  for _, player in ipairs(fact.players) do
    local matches = running_of(player)
    matches[fact.match] = nil
    set_running(player, matches)
    free(player, fact.match)
    keep_busy(player, matches)
  end
  local about = redis.call('HGET', KEYS[12], fact.match)
  redis.call('HDEL', KEYS[12], fact.match)
  local left = tonumber(ARGV[5]) - (now - (fact.at or now))
  if key and about and left >= 1 then redis.call('SET', key, about, 'PX', string.format('%.0f', left)) end
  settle_tickets(fact)
end

local key = 12
for _, fact in ipairs(facts) do
  if fact.rematch then key = key + 1 end
  if fact.sequence > position then
    if fact.kind == 'open' then
      opened(fact)
    else
      ended(fact, fact.rematch and KEYS[key] or nil)
    end
  end
end
if ARGV[7] ~= '' and tonumber(ARGV[3]) > position then redis.call('HSET', KEYS[1], 'mark' .. tag, ARGV[7]) end
position = math.max(position, tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'position' .. tag, string.format('%.0f', position))

local function all_read()
  for _, each in ipairs(cjson.decode(ARGV[9])) do
    if redis.call('HGET', KEYS[1], 'read' .. each) ~= run then return false end
  end
  return true
end

if ARGV[4] == '1' and known[3] ~= '1' then
  local wait = tonumber(known[4]) - now
  if wait > 0 then return {'early', wait} end
  redis.call('HSET', KEYS[1], 'read' .. tag, run)
  if all_read() then redis.call('HSET', KEYS[1], 'settled', '1') end
end
return {'ok', 0}
