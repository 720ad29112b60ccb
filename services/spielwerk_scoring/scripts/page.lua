-- A stretch of a board, best first, with the rank of its first entry.
--
-- KEYS[1]  name of the live generation (string)
-- KEYS[2]  order of the board (sorted set)
-- KEYS[3]  totals of the board (hash)
-- KEYS[4]  checkpoint of the generation (hash)
-- ARGV[1]  the generation of KEYS[2], KEYS[3] and KEYS[4]
-- ARGV[2]  'below' or 'around'
-- ARGV[3]  below: the bound, '+' or '(' and a member
--          around: the member in the middle
-- ARGV[4]  below: entries at most; around: entries on each side
-- ARGV[5]  length of the part of a member that players of equal rank share
--
-- Returns {players, position of the first (from 0), players better than it, members, totals},
-- 'moved' if another generation is live by now or this one is gone (its empty boards say nothing),
-- or 'absent' if the member in the middle is.
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('EXISTS', KEYS[4]) == 0 then
  return 'moved'
end

local players = redis.call('ZCARD', KEYS[2])
local members
if ARGV[2] == 'below' then
  members = redis.call('ZREVRANGEBYLEX', KEYS[2], ARGV[3], '-', 'LIMIT', 0, ARGV[4])
else
  local middle = redis.call('ZREVRANK', KEYS[2], ARGV[3])
  if not middle then
    return 'absent'
  end
  local first = math.max(0, middle - tonumber(ARGV[4]))
  members = redis.call('ZREVRANGE', KEYS[2], first, middle + tonumber(ARGV[4]))
end
if #members == 0 then
  return {players, 0, 0, {}, {}}
end

local shared = tonumber(ARGV[5])
local position = redis.call('ZREVRANK', KEYS[2], members[1])
-- '\255' is above every character of a player's id: all that follows is better.
local bound = '(' .. string.sub(members[1], 1, shared) .. '\255'
local better = redis.call('ZLEXCOUNT', KEYS[2], bound, '+')
local names = {}
for i, member in ipairs(members) do
  names[i] = string.sub(member, shared + 2)
end
return {players, position, better, members, redis.call('HMGET', KEYS[3], unpack(names))}
