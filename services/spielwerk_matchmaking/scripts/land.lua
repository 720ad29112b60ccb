-- A promised match exists: its tickets are matched, nobody needs to create it any more.
-- uses: tickets
-- KEYS[1..10] as in part_tickets.lua
-- ARGV: now, match

landed(ARGV[2], tonumber(ARGV[1]))
return 1
