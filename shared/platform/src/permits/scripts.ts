/*
 * The state of one queue in Redis. Times are those of the Redis server, in milliseconds.
 *
 *   permits  members that run, by the end of their lease: a dead process loses them
 *   queue    members that wait, by turn and arrival; a person's second member waits for the next turn
 *   seen     members that wait, by their last sign of life
 *   turns    the last turn of each waiting person
 *   state    turn, seq: of the queue · limit, growAt, every: what was learned from refusals
 *   pause    exists while the queue lets no call in
 */

/** The keys of a queue, in the order that all scripts expect. */
export const QUEUE_KEYS = ['permits', 'queue', 'seen', 'turns', 'state', 'pause'] as const;

const HEAD = `
local permits, queue, seen, turns, state, pause = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function read(field) return tonumber(redis.call('HGET', state, field) or '') end
local function keep() for _, key in ipairs({permits, queue, seen, turns, state}) do redis.call('PEXPIRE', key, 3600000) end end`;

/** ARGV: member, person, largest limit or 0, lease, time without a sign of life, 1 for a member that comes back. Returns {1} or {0, before, pause}. */
export const ENTER = `${HEAD}
local member, person, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', now - ARGV[5])) do
  redis.call('ZREM', queue, gone)
  redis.call('ZREM', seen, gone)
end
if redis.call('ZSCORE', permits, member) then return {1} end
if not redis.call('ZSCORE', queue, member) then
  local turn = 0
  if ARGV[6] ~= '1' then
    turn = math.max(read('turn') or 0, tonumber(redis.call('HGET', turns, person) or '') or 0) + 1
    redis.call('HSET', turns, person, turn)
  end
  redis.call('ZADD', queue, turn * 1e9 + redis.call('HINCRBY', state, 'seq', 1), member)
end
redis.call('ZADD', seen, now, member)
local running, learned = redis.call('ZCARD', permits), read('limit')
if learned and running >= learned and now >= read('growAt') then
  learned = learned + math.max(1, math.floor(learned / 4))
  redis.call('HSET', state, 'limit', learned, 'growAt', now + read('every'))
end
local limit = math.min(most > 0 and most or math.huge, learned or math.huge)
local before, paused = redis.call('ZRANK', queue, member), math.max(0, redis.call('PTTL', pause))
keep()
if paused > 0 or before >= limit - running then return {0, before, paused} end
local turn = math.floor(redis.call('ZSCORE', queue, member) / 1e9)
redis.call('ZREM', queue, member)
redis.call('ZREM', seen, member)
redis.call('ZADD', permits, now + ARGV[4], member)
if redis.call('ZCARD', queue) == 0 then
  redis.call('DEL', turns)
  redis.call('HDEL', state, 'turn', 'seq')
else
  redis.call('HSET', state, 'turn', math.max(turn, read('turn') or 0))
end
return {1}`;

/** ARGV: member, lease. Renews a permit, also one that an emptied Redis lost. */
export const RENEW = `${HEAD}
redis.call('ZADD', permits, now + ARGV[2], ARGV[1])
keep()`;

/** ARGV: member, pause, shortest time between two growths. Each refused member lowers the limit to what ran without it. */
export const REFUSE = `${HEAD}
local running = math.max(1, redis.call('ZCARD', permits))
redis.call('ZREM', permits, ARGV[1])
local every = math.max(tonumber(ARGV[3]), 4 * math.min(tonumber(ARGV[2]), 60000))
local limit = math.max(1, math.min(read('limit') or running, running) - 1)
redis.call('HSET', state, 'limit', limit, 'every', every, 'growAt', now + every)
if redis.call('PTTL', pause) < tonumber(ARGV[2]) then redis.call('SET', pause, 1, 'PX', ARGV[2]) end
keep()`;

/** ARGV: member. Forgets a member, waiting or running. */
export const LEAVE = `
for place = 1, 3 do redis.call('ZREM', KEYS[place], ARGV[1]) end`;
