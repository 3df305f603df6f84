import { z } from 'zod';
import { personalDataKinds } from '../catalog/guardrails';
import { operation } from '../operation';
import { surfaceName } from '../surface';
import { text } from '../text';

/**
 * How requests and answers are logged, for the keys that have it switched on. `maxBodyBytes` bounds each of
 * the two as it is stored; what goes beyond is cut off.
 * `detectors` and `patterns` say what is redacted before anything leaves an edge; keys and tokens (`api-key`)
 * always are.
 */
export const contentLogRules = z.object({
  retentionDays: z.number().int().min(1).max(3_650),
  maxBodyBytes: z.number().int().min(1_024).max(262_144),
  detectors: z.array(z.enum(personalDataKinds)),
  patterns: z.array(z.string().min(1)).max(50),
});
export type ContentLogRules = z.infer<typeof contentLogRules>;

/**
 * What is known of a logged request beside its text. `id` is that of its usage event; `requestId` is the
 * caller's word, and may come again. `status` is the HTTP status that the caller saw (499: it left before it
 * saw one). `redactions` counts the places where something was taken out. Times are epoch milliseconds.
 */
const facts = {
  id: z.uuid(),
  requestId: text(256),
  keyId: text(256),
  accountId: text(256),
  model: text(256),
  surface: surfaceName,
  stream: z.boolean(),
  state: z.enum(['completed', 'failed', 'cancelled']),
  status: z.number().int(),
  cached: z.boolean(),
  startedAt: z.number().int(),
  endedAt: z.number().int(),
  redactions: z.number().int().nonnegative(),
  requestTruncated: z.boolean(),
  answerTruncated: z.boolean(),
};

/**
 * Both are JSON texts, redacted. `answer` null: nothing of it came, or it was too large to be looked through.
 */
const bodies = { request: z.string(), answer: z.string().nullable() };

/** A request with its answer on its way from edge to metering, which keeps it for so many days. */
export const newLoggedContent = z.object({
  ...facts,
  ...bodies,
  retentionDays: contentLogRules.shape.retentionDays,
});
export type NewLoggedContent = z.infer<typeof newLoggedContent>;

/** What may be told of a logged request without showing what is in it. */
export const loggedContentFacts = z.object({ ...facts, expiresAt: z.number() });
export type LoggedContentFacts = z.infer<typeof loggedContentFacts>;

export const loggedContent = loggedContentFacts.extend(bodies);
export type LoggedContent = z.infer<typeof loggedContent>;

/**
 * With `accountId`, what belongs to another account is `not_found`. Never taken from a caller: edge fills it
 * in by who asks.
 */
const ofAccount = { accountId: text(256).optional() };

/**
 * An edge tells that requests which should have been logged were not: how many, and the reasons with theirs.
 */
export const droppedContent = z.object({
  edge: z.string(),
  entries: z.number().int().positive(),
  reasons: z.record(z.string(), z.number().int()),
});
export type DroppedContent = z.infer<typeof droppedContent>;

export const contentLogSubjects = { dropped: 'edge.content-dropped' } as const;

/**
 * Logged requests and answers. Metering keeps them. What has expired is gone, also while it waits to be
 * removed.
 */
export const contentLogOperations = {
  /** Keeps requests with their answers, each once. */
  record: operation(
    'metering.content-log.record',
    z.object({ entries: z.array(newLoggedContent).min(1).max(100) }),
    z.object({}),
  ),
  /** Finds a logged request by the id of its event, or the newest with a request id, without its text. */
  find: operation('metering.content-log.find', z.object({ id: text(256).min(1), ...ofAccount }), loggedContentFacts),
  /**
   * A logged request with its text. Whoever reads that of another writes it down first (administration
   * `recordAct`).
   */
  read: operation('metering.content-log.read', z.object({ id: z.uuid(), ...ofAccount }), loggedContent),
  /** Removes one for good. */
  remove: operation('metering.content-log.remove', z.object({ id: z.uuid(), ...ofAccount }), z.object({})),
  /** Removes all of a key, a part at a time: while `isDone` is false there are more. */
  removeOfKey: operation(
    'metering.content-log.remove-of-key',
    z.object({ keyId: text(256).min(1), ...ofAccount }),
    z.object({ removed: z.number().int(), isDone: z.boolean() }),
  ),
};
