-- Takes over promised matches whose creator has been silent for the length of its lease.
-- KEYS[1] launches HASH, KEYS[2] leases ZSET (as 7 and 8 in part_tickets.lua)
-- ARGV: now, new lease end, how many at most
-- Returns the launches as JSON texts.

local claimed = {}
for _, match in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  local raw = redis.call('HGET', KEYS[1], match)
  if raw then
    redis.call('ZADD', KEYS[2], ARGV[2], match)
    claimed[#claimed + 1] = raw
  else
    redis.call('ZREM', KEYS[2], match)
  end
end
return claimed
