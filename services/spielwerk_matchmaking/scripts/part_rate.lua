-- Part of other scripts: a limit of `burst` at once and one more every `interval` ms after that.
-- Keeps at the key the time when the whole burst is free again.

local function spent(key, now, interval, burst)
  local free = math.max(tonumber(redis.call('GET', key) or '0'), now)
  return math.max(0, free + interval - now - burst * interval)
end

local function charge(key, now, interval)
  local free = math.max(tonumber(redis.call('GET', key) or '0'), now) + interval
  redis.call('SET', key, string.format('%.0f', free), 'PX', math.max(1, math.ceil(free - now)))
end
