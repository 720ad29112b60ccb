-- Removes tickets whose clients are gone, and forgets finished ones.
-- uses: tickets
-- KEYS[1..10] as in part_tickets.lua
-- ARGV: now, ghost_ms, how many at most
-- Returns how many were removed or forgotten.

local now, ghost_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local ghosts = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', '(' .. (now - ghost_ms), 'LIMIT', 0, ARGV[3])
for _, ticket in ipairs(ghosts) do
  local t = read(ticket)
  if t then
    finish(ticket, t, 'expired', 'client_gone', now)
  else
    redis.call('ZREM', KEYS[4], ticket)
  end
end
local old = redis.call('ZRANGEBYSCORE', KEYS[9], '-inf', now, 'LIMIT', 0, ARGV[3])
for _, ticket in ipairs(old) do
  redis.call('HDEL', KEYS[2], ticket)
  redis.call('ZREM', KEYS[9], ticket)
end
return #ghosts + #old
