-- Takes a ticket out of its queue; from then on no match can come of it.
-- uses: tickets
-- KEYS[1..10] as in part_tickets.lua
-- ARGV: now, player, ticket
-- Returns {word, detail}: ok (also if it was over before), unknown, already_matched with the match ("" until it
-- exists).

local t = read(ARGV[3])
if not t or t.player ~= ARGV[2] then return {'unknown', ''} end
if t.state == 'waiting' then
  finish(ARGV[3], t, 'cancelled', 'cancelled', tonumber(ARGV[1]))
elseif t.match then
  return {'already_matched', existing(t.match)}
end
return {'ok', ''}
