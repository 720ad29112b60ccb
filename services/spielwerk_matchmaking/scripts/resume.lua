-- Where to go on reading the log, and from when on players may be paired.
-- After a restart of the store (another run id) nobody is paired before `settle_ms` have passed and the log has been
-- read to its end, in all of its streams: what the store lost may still be on its way into the log. Into an empty log
-- nothing was ever on its way but the first match, so a new installation need not wait.
-- uses: tickets
-- KEYS[1] checkpoint HASH (as in part_tickets.lua)
-- ARGV: stream, created, last sequence of the stream, now, settle_ms, tag of the stream
-- Returns {ok, position, settle_until, mark} (mark: the last message that was read, "" if unknown) or {foreign, stream,
-- created, position} of a checkpoint of another stream. Whether the stream reaches to the position only the caller can
-- tell, who must look at its end after this: another instance may have read what was stored since his last look.

local tag = ARGV[6]
local known = redis.call('HMGET', KEYS[1], 'stream' .. tag, 'created' .. tag, 'position' .. tag, 'run_id', 'settle_until',
  'mark' .. tag, 'begun' .. tag)
local position = tonumber(known[3] or '0')
if known[1] and (known[1] ~= ARGV[1] or known[2] ~= ARGV[2]) then
  return {'foreign', known[1], known[2], known[3]}
end
if not known[1] then
  redis.call('HSET', KEYS[1], 'stream' .. tag, ARGV[1], 'created' .. tag, ARGV[2], 'position' .. tag, '0')
end
local run = run_id()
local settle_until = tonumber(known[5] or '0')
if known[4] ~= run then settle_until = tonumber(ARGV[4]) end
if known[7] ~= run then
  if ARGV[3] ~= '0' then settle_until = math.max(settle_until, ARGV[4] + ARGV[5]) end
  redis.call('HSET', KEYS[1], 'run_id', run, 'begun' .. tag, run, 'settled', '0', 'settle_until',
    string.format('%.0f', settle_until))
end
return {'ok', string.format('%.0f', position), string.format('%.0f', settle_until), known[6] or ''}
