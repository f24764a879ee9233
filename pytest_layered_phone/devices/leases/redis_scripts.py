"""What the Redis server does in one step each. Keys share one hash tag, so that a cluster keeps them together.

A lease key holds `TOKEN NUMBER` and, behind a line break, the holder's card. It lives as long as the ttl.
"""

from __future__ import annotations

PREFIX = "{layered-phone}"

# When did this server begin to remember? A restart, a failover, an empty or an old database may have lost leases that are still
# held; until all of them have run out or were renewed, nothing is given out. KEYS: epoch. Leaves `now` and `epoch` in ms.
_EPOCH = """
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%w+) (%d+)$')
local epoch = tonumber(since)
if known ~= run or epoch == nil or epoch > now then
  epoch = now
  redis.call('SET', KEYS[1], run .. ' ' .. string.format('%.0f', now))
end
"""

# KEYS: epoch, lease, number. ARGV: token, ttl in ms, card. Answers: 'taken', NUMBER | 'busy', VALUE | 'young', MS LEFT.
TAKE = (
    _EPOCH
    + """
local value = redis.call('GET', KEYS[2])
if value and string.sub(value, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return {'busy', value} end
if not value then
  local left = epoch + tonumber(ARGV[2]) - now
  if left > 0 then return {'young', string.format('%.0f', left)} end
end
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
local number = string.format('%.0f', math.max(last + 1, now))
redis.call('SET', KEYS[3], number)
redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. number .. '\\n' .. ARGV[3], 'PX', ARGV[2])
return {'taken', number}
"""
)

# KEYS: epoch, lease, number. ARGV: token, ttl in ms, number, card. Answers: 'kept' | 'taken'.
# A key that vanished (the server lost its memory) is made again, unless somebody else was quicker.
KEEP = (
    _EPOCH
    + """
local value = redis.call('GET', KEYS[2])
if value and string.sub(value, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return 'taken' end
if value then
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
else
  redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[3] .. '\\n' .. ARGV[4], 'PX', ARGV[2])
  local last = tonumber(redis.call('GET', KEYS[3]) or '0')
  if last < tonumber(ARGV[3]) then redis.call('SET', KEYS[3], ARGV[3]) end
end
return 'kept'
"""
)

# KEYS: lease. ARGV: token.
RELEASE = """
local value = redis.call('GET', KEYS[1])
if value and string.sub(value, 1, #ARGV[1] + 1) == ARGV[1] .. ' ' then return redis.call('DEL', KEYS[1]) end
return 0
"""

# The line of those who wait. KEYS: waiting, tickets. ARGV: own id or '', own claim, ms after which a silent one is passed over.
# Answers: own number, ms now, then id, number, ms since and claim of every other.
LINE = """
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local rows = redis.call('HGETALL', KEYS[1])
local number, since, out = nil, nil, {}
for i = 1, #rows, 2 do
  local place, began, beat, claim = string.match(rows[i + 1], '^(%d+) (%d+) (%d+) (.*)$')
  if rows[i] == ARGV[1] then
    number, since = place, began
  elseif not place or now - tonumber(beat) > tonumber(ARGV[3]) then
    redis.call('HDEL', KEYS[1], rows[i])
  else
    out[#out + 1] = place
    out[#out + 1] = began
    out[#out + 1] = claim
  end
end
local stamp = string.format('%.0f', now)
if ARGV[1] ~= '' then
  if not number then number, since = string.format('%.0f', redis.call('INCR', KEYS[2])), stamp end
  redis.call('HSET', KEYS[1], ARGV[1], number .. ' ' .. since .. ' ' .. stamp .. ' ' .. ARGV[2])
end
table.insert(out, 1, stamp)
table.insert(out, 1, number or '0')
return out
"""
