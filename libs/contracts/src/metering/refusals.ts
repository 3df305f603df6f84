import { z } from 'zod';
import { epochMs } from '../epoch-ms';
import { operation } from '../operation';
import { text } from '../text';

/** How many characters of an error's message are kept of the last refusal of a cause. */
export const longestRefusalMessage = 300;

/**
 * The last request that was refused for a cause. `at`: epoch milliseconds; `model`: as the caller wrote it,
 * null where it was refused before its body was read; `path`: of the request, without its query; `message`:
 * what the caller was told.
 */
const lastRefusal = z.object({
  at: z.number().int(),
  requestId: text(256),
  model: text(256).nullable(),
  path: text(256),
  message: text(longestRefusalMessage),
});

/**
 * What the caller of refused requests has in common. `keyId` and `accountId` null: it carried no key that
 * works. `reason`:
 * the word in `error.details.reason`, the limit of a 429, or the guardrail; else the type of the error.
 */
const cause = {
  keyId: text(256).nullable(),
  accountId: text(256).nullable(),
  status: z.number().int().min(400).max(599),
  reason: text(64),
};

/**
 * How often an edge refused requests of one cause within a minute (epoch milliseconds of its begin), until
 * now: told again it replaces what was told before, so that it may be sent twice.
 */
const refusedInMinute = z.object({
  ...cause,
  edgeId: text(256),
  minute: z.number().int().multipleOf(60_000),
  count: z.number().int().positive(),
  last: lastRefusal,
});
export type RefusedInMinute = z.infer<typeof refusedInMinute>;

/** How often requests were refused for a cause over a window, and the last of them. */
const refusalCause = z.object({ ...cause, count: z.number().int(), last: lastRefusal });
export type RefusalCause = z.infer<typeof refusalCause>;

/**
 * A cause as people read it. A name is null where there is none, nobody knows it any more, or accounts does
 * not answer.
 */
export const namedRefusal = refusalCause.extend({ keyName: z.string().nullable(), accountName: z.string().nullable() });
export type NamedRefusal = z.infer<typeof namedRefusal>;

/** So many causes are told apart in one list. */
export const mostRefusalCauses = 200;

/**
 * Requests that the gateway itself refused, before any provider was asked: they make no usage event and cost
 * nothing.
 * Metering keeps their counts for 31 days.
 */
export const refusalOperations = {
  record: operation(
    'metering.refusals.record',
    z.object({ minutes: z.array(refusedInMinute).min(1).max(500) }),
    z.object({}),
  ),
  /**
   * What was refused in the minutes that begin in [startAt, endAt), the most frequent causes first. `total`
   * counts all of it, also what is not among the causes told. Without `keyIds` and `accountId`: of everybody,
   * and of who had no key.
   */
  list: operation(
    'metering.refusals.list',
    z.object({
      keyIds: z.array(text(256)).max(500).optional(),
      accountId: text(256).optional(),
      startAt: epochMs,
      endAt: epochMs,
    }),
    z.object({ total: z.number().int(), causes: z.array(refusalCause).max(mostRefusalCauses) }),
  ),
};
