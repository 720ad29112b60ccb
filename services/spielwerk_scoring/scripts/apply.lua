-- Writes the new totals of some boards together with the checkpoint they follow from, or nothing.
--
-- KEYS[1]       checkpoint of the generation (hash)
-- KEYS[2]       names of its boards (set)
-- KEYS[3 + 2i]  order of board i (sorted set), i = 0, 1, 2 ...
-- KEYS[4 + 2i]  totals of board i (hash)
-- ARGV[1]       revision that the new totals were computed from
-- ARGV[2]       tag of the stream: fields of its place end with it ("" where the log is one stream)
-- ARGV[3..5]    new sequence, digest and time of its last applied end
-- ARGV[6]       number of boards, then their names
-- then          for each total: board i, player, old member or "", new member or "", total
--
-- Returns 1, or 0 if somebody else wrote since (read again, decide again).
-- No number is computed here: Lua's are doubles, totals are exact texts.
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then
  return 0
end

local boards = tonumber(ARGV[6])
for i = 1, boards do
  redis.call('SADD', KEYS[2], ARGV[6 + i])
end

for at = 7 + boards, #ARGV, 5 do
  local order = KEYS[3 + 2 * tonumber(ARGV[at])]
  local totals = KEYS[4 + 2 * tonumber(ARGV[at])]
  local player, old, new, total = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  if old ~= new and old ~= '' then
    redis.call('ZREM', order, old)
  end
  if old ~= new and new ~= '' then
    redis.call('ZADD', order, 0, new)
  end
  redis.call('HSET', totals, player, total)
end

local tag = ARGV[2]
redis.call('HSET', KEYS[1], 'sequence' .. tag, ARGV[3], 'digest' .. tag, ARGV[4], 'ended_at_ms' .. tag, ARGV[5])
redis.call('HINCRBY', KEYS[1], 'revision', 1)
return 1
