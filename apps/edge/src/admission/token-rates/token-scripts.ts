import { z } from 'zod';
import { windowMs } from '../rolling-log';

/*
 * The tokens of one limit are a sorted set, a member per request with the server's time in microseconds as
 * its score, and a hash that holds the tokens of each member and their sum, `total`. What leaves the window
 * is taken from the sum: a request costs the same however many came before it.
 */
const beginLua = `
local log, held = KEYS[1], KEYS[2]
local window = ${windowMs * 1_000}
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local newest = redis.call('ZREVRANGE', log, 0, 0, 'WITHSCORES')[2]
if newest and tonumber(newest) > now then now = tonumber(newest) end
local total = tonumber(redis.call('HGET', held, 'total') or '0')
local function tokensOf(member) return tonumber(redis.call('HGET', held, member) or '0') end
local function keep()
  redis.call('HSET', held, 'total', string.format('%.0f', total))
  redis.call('PEXPIRE', log, ${windowMs + 1_000})
  redis.call('PEXPIRE', held, ${windowMs + 1_000})
end
local gone = redis.call('ZRANGEBYSCORE', log, '-inf', now - window)
for _, member in ipairs(gone) do
  total = total - tokensOf(member)
  redis.call('HDEL', held, member)
end
if #gone > 0 then
  redis.call('ZREMRANGEBYSCORE', log, '-inf', now - window)
  redis.call('HSET', held, 'total', string.format('%.0f', total))
end
`;

/** A refusal looks at so many of the oldest requests to find when there is room. */
const looksAt = 100;

/**
 * KEYS: the log, what it holds. ARGV: limit, tokens, member. Answers admitted (0 or 1), the tokens in the
 * window, and the microseconds until it is empty and until there is room: a whole window where that is past
 * the oldest requests that are looked at, or never.
 */
export const takeTokensScript = `${beginLua}
local limit, tokens = tonumber(ARGV[1]), tonumber(ARGV[2])
local admitted, reset, retry = 0, 0, 0
if total + tokens <= limit then
  redis.call('ZADD', log, now, ARGV[3])
  redis.call('HSET', held, ARGV[3], ARGV[2])
  total = total + tokens
  keep()
  admitted = 1
else
  retry = window
  local left = total + tokens - limit
  local oldest = redis.call('ZRANGE', log, 0, ${looksAt - 1}, 'WITHSCORES')
  for place = 1, #oldest, 2 do
    left = left - tokensOf(oldest[place])
    if left <= 0 then
      retry = tonumber(oldest[place + 1]) + window - now
      break
    end
  end
end
local last = redis.call('ZREVRANGE', log, 0, 0, 'WITHSCORES')[2]
if last then reset = tonumber(last) + window - now end
return {admitted, total, reset, retry}
`;

/**
 * KEYS: the log, what it holds. ARGV: member, tokens. What has left the window stays out of it; of a request
 * that took nothing nothing is left.
 */
export const settleTokensScript = `${beginLua}
local before = redis.call('HGET', held, ARGV[1])
if not before then return 0 end
total = total + tonumber(ARGV[2]) - tonumber(before)
if tonumber(ARGV[2]) == 0 then
  redis.call('ZREM', log, ARGV[1])
  redis.call('HDEL', held, ARGV[1])
else
  redis.call('HSET', held, ARGV[1], ARGV[2])
end
redis.call('HSET', held, 'total', string.format('%.0f', total))
return 1
`;

/** KEYS: the log, what it holds. ARGV: for each request its member, age in whole microseconds, and tokens. */
export const addTokensScript = `${beginLua}
for index = 1, #ARGV, 3 do
  local member, tokens = ARGV[index], tonumber(ARGV[index + 2])
  local time = now - tonumber(ARGV[index + 1])
  if time > now - window then
    redis.call('ZADD', log, 'NX', time, member)
    total = total + tokens - tokensOf(member)
    redis.call('HSET', held, member, ARGV[index + 2])
  end
end
keep()
return 1
`;

/** What the log said of one request. Times in milliseconds from the moment of the answer. */
export interface TokenAnswer {
  readonly admitted: boolean;
  readonly total: number;
  readonly resetMs: number;
  readonly retryAfterMs: number;
}

const answer = z.tuple([z.number(), z.number(), z.number(), z.number()]);

/** @throws ZodError when it is no answer of `takeTokensScript`. */
export function readTokenAnswer(reply: unknown): TokenAnswer {
  const [admitted, total, resetUs, retryUs] = answer.parse(reply);
  return { admitted: admitted === 1, total, resetMs: resetUs / 1_000, retryAfterMs: retryUs / 1_000 };
}
