import { z } from 'zod';
import { windowMs } from '../rolling-log';

/*
 * The log of one key is a sorted set: a member per admitted request, its score the server's time in
 * microseconds. One clock for all edges, and one command at a time, make it exact. A clock that is set back
 * does not reopen the window: time never goes behind the newest entry.
 */
const beginLua = `
local key = KEYS[1]
local window = ${windowMs * 1_000}
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
if newest and tonumber(newest) > now then now = tonumber(newest) end
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
`;

/**
 * KEYS: the log. ARGV: limit, member. Answers admitted (0 or 1), how many are in the window, and the
 * microseconds until the window is empty and until there is room.
 */
export const takeScript = `${beginLua}
local limit = tonumber(ARGV[1])
local count = redis.call('ZCARD', key)
local admitted = 0
if count < limit then
  redis.call('ZADD', key, now, ARGV[2])
  redis.call('PEXPIRE', key, ${windowMs + 1_000})
  count = count + 1
  admitted = 1
end
local reset = 0
if count > 0 then
  reset = tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) + window - now
end
local retry = 0
if limit == 0 then
  retry = window
elseif count >= limit then
  local frees = count - limit
  retry = tonumber(redis.call('ZRANGE', key, frees, frees, 'WITHSCORES')[2]) + window - now
end
return {admitted, count, reset, retry}
`;

/**
 * KEYS: the log. ARGV: pairs of a member and its time, microseconds of the server's clock. What is in the log
 * already stays as it is.
 */
export const addScript = `${beginLua}
for index = 1, #ARGV, 2 do
  redis.call('ZADD', key, 'NX', ARGV[index + 1], ARGV[index])
end
redis.call('PEXPIRE', key, ${windowMs + 1_000})
return 1
`;

/**
 * KEYS: where the run of the primary is written. ARGV: the run id of the server, and a run that is over
 * (empty: none). Answers the run that all logs are named by: the run id, and with the time behind it where
 * the last run was of another server, or is over. A replica that is promoted has the run of the primary
 * before it, and a run id that it may have had as a primary already.
 */
export const runScript = `
local run = redis.call('GET', KEYS[1])
if run and run ~= ARGV[2] and string.sub(run, 1, #ARGV[1]) == ARGV[1] then return run end
if run or ARGV[2] ~= '' then
  local clock = redis.call('TIME')
  run = ARGV[1] .. '-' .. clock[1] .. '-' .. clock[2]
else
  run = ARGV[1]
end
redis.call('SET', KEYS[1], run)
return run
`;

/** What the log said of one request. Times in milliseconds from the moment of the answer. */
export interface LogAnswer {
  readonly admitted: boolean;
  readonly count: number;
  readonly resetMs: number;
  readonly retryAfterMs: number;
}

const answer = z.tuple([z.number(), z.number(), z.number(), z.number()]);

/** @throws ZodError when it is no answer of `takeScript`. */
export function readAnswer(reply: unknown): LogAnswer {
  const [admitted, count, resetUs, retryUs] = answer.parse(reply);
  return { admitted: admitted === 1, count, resetMs: resetUs / 1_000, retryAfterMs: retryUs / 1_000 };
}
