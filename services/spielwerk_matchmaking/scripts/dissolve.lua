-- A promised match was refused for good: its players are free, their tickets wait again or are over.
-- uses: tickets
-- KEYS[1..10] as in part_tickets.lua
-- KEYS[11] offer STRING  of a rematch (as in rematch.lua), which is then open again
-- ARGV: now, match, reason, "1" to put the tickets back at their old place

local now, match = tonumber(ARGV[1]), ARGV[2]
redis.call('ZREM', KEYS[8], match)
local raw = redis.call('HGET', KEYS[7], match)
if not raw then return 0 end
local launch = cjson.decode(raw)
if launch.done then return 0 end
redis.call('HDEL', KEYS[7], match)
if launch.rematch_of then
  redis.call('DEL', KEYS[11])
  redis.call('PUBLISH', 'sw:{mm}:changed', 'rematch ' .. launch.rematch_of)
end
for _, ticket in ipairs(launch.tickets or {}) do
  local t = read(ticket)
  if t and t.match == match then
    free(t.player, match)
    if ARGV[4] == '1' then
      put_back(ticket, t, launch, now)
    else
      finish(ticket, t, 'cancelled', ARGV[3], now)
    end
  end
end
return 1
