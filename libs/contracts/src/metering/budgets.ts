import { z } from 'zod';
import { longestAttributionName } from './attribution';
import { operation } from '../operation';
import { text, thingName } from '../text';

/**
 * What a budget is counted in. Its amounts are whole nano-dollars, or whole tokens of input and output, in
 * members of the same names, which are of nano-dollars: former releases read them so.
 */
export const budgetUnit = z.enum(['usd', 'tokens']);
export type BudgetUnit = z.infer<typeof budgetUnit>;

/** An amount of a budget in its unit, as a decimal string: JSON numbers are not exact beyond 2^53. */
const nanoUsd = z
  .string()
  .regex(/^\d{1,18}$/, 'whole nano-dollars')
  .describe('whole nano-dollars; of a budget whose unit is tokens, whole tokens');
const signedNanoUsd = z
  .string()
  .regex(/^-?\d{1,18}$/)
  .describe('whole nano-dollars; of a budget whose unit is tokens, whole tokens; below 0 after a correction');

/**
 * Since when a budget counts: since it was made (`total`), or since the hour, the calendar day, week (from
 * Monday) or month of its time zone began; or what was spent in the last hours or days (`24h`, `7d`: at most
 * 744 hours, 31 days), which leaves a sixtieth of the window at a time.
 */
export const budgetWindow = z.union([
  z.enum(['total', 'hour', 'day', 'week', 'month']),
  z
    .string()
    .regex(
      /^(?:(?:[1-9]\d?|[1-6]\d\d|7[0-3]\d|74[0-4])h|(?:[1-9]|[12]\d|3[01])d)$/,
      'must be total, hour, day, week, month, hours such as 24h (at most 744h), or days such as 7d (at most 31d)',
    ),
]);
export type BudgetWindow = z.infer<typeof budgetWindow>;

/**
 * What some keys of an account have in common: it is there as long as a key says so. A name is one whatever
 * way its letters were typed (NFC), and `none` is none: commands say so of a key without a project. What an
 * address takes for the part above it would be the whole account there.
 */
export const projectName = text(100)
  .trim()
  .normalize('NFC')
  .min(1)
  .refine((name) => name !== 'none', 'none means that a key is of no project')
  .refine((name) => name !== '.' && name !== '..', 'must not be . or .., which addresses cannot hold');

/**
 * A budget that each end user, or tag, has alone, whose name matches the pattern (`*` matches any run of
 * characters): the limit is of each, not of all together. Requests that say no such name do not count.
 */
const budgetEach = z.object({
  by: z.enum(['end_user', 'tag']),
  names: text(longestAttributionName)
    .min(1)
    .describe('a pattern of names (`*` matches any run of characters): each of them has the whole limit alone'),
});
export type BudgetEach = z.infer<typeof budgetEach>;

/**
 * A budget as edges need it, to keep requests of a key within it. The limit itself is metering's to apply;
 * here it tells what can never fit. `soft`: it refuses nothing; what exceeds it is served and told, by
 * `fallbackModel` where it has one, else (null) by the model that is asked for. `models`: patterns of model
 * ids (`*` matches any run of characters), of which one has to match for a request to count; empty: all do.
 * `each`: see `budgetEach`; null: it is one budget. Edges of a release that does not know of these keep to it
 * as to any other, but for `each`, of which metering grants them nothing and refuses nothing. Any `unit` is
 * dollars to them, so that they refuse sooner: a token costs more than a nano-dollar.
 */
export const keyBudget = z.object({
  id: z.string(),
  name: z.string(),
  unit: budgetUnit.default('usd'),
  limitNanoUsd: nanoUsd,
  soft: z.boolean().default(false),
  fallbackModel: z.string().nullable().default(null),
  models: z.array(z.string()).default([]),
  each: budgetEach.nullable().default(null),
});
export type KeyBudget = z.infer<typeof keyBudget>;

/**
 * How much may be spent. `keyIds` empty: by all keys of the account, else by these together: a key that was
 * rotated and the one that took its place share what the first had. Of more than 20 the last that came are
 * told. `project`: these are its keys, and change with it; null: it is of no project. `timeZone`: a name of
 * the IANA database, which says when hours, days, weeks and months begin; of windows that roll UTC. `window`:
 * a `budgetWindow`; of an accounts of a later release maybe another one, so that it is read as it comes.
 */
export const budget = keyBudget.extend({
  accountId: z.string(),
  keyIds: z.array(z.string()),
  project: z.string().nullable().default(null),
  window: z.string().describe('total, hour, day, week or month, or the last hours or days, such as 24h or 7d'),
  timeZone: z.string(),
  createdAt: z.number(),
});
export type Budget = z.infer<typeof budget>;

/** US dollars as people write them. At most a billion, so that sums stay far from the end of 64 bits. */
export const budgetUsd = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be US dollars as a decimal string, such as "25" or "0.5"');

/** The other limit that a budget may have. */
const budgetTokens = z.number().int().min(0);
/** A budget has one of these, always the same: dollars are not made tokens. */
export const budgetLimit = {
  limitUsd: budgetUsd.optional().describe('US dollars; of a budget in dollars'),
  limitTokens: budgetTokens.optional().describe('tokens of input and output; of a budget in tokens'),
};

const model = text(200).min(1).nullable();
/** What happens at the limit; see `keyBudget`. */
const exceeding = { soft: z.boolean().default(false), fallbackModel: model.default(null) };
/** The same of a change: what is absent stays as it is. */
export const changedExceeding = { soft: z.boolean().optional(), fallbackModel: model.optional() };

/**
 * What is told of a new budget, in dollars or in tokens. Of `keyId` absent and `project` null, it is the
 * whole account's.
 */
export const newBudget = z.object({
  accountId: text(200).min(1),
  keyId: text(200).min(1).optional(),
  project: projectName.nullable().default(null).describe('of all keys of this project together; null: of no project'),
  name: thingName(100),
  ...budgetLimit,
  window: budgetWindow,
  timeZone: text(100).min(1).default('UTC'),
  models: z
    .array(text(200).min(1))
    .max(50)
    .default([])
    .describe('patterns of model ids (`*` matches any run of characters), which alone count; none: every model'),
  each: budgetEach.nullable().default(null),
  ...exceeding,
});

const actor = text(200).min(1).default('operator');

/** In the place of a percentage of a budget: a request was refused while something was left. */
export const ofRefusal = 0;

/**
 * Of which thresholds of a budget (percents, or `ofRefusal`) people were told, and when (epoch milliseconds),
 * the newest first, as long as this is kept: 40 days. `windowStart` null: of a window that rolls. Of a budget
 * that each name has alone there are none of these; `namesMailedAt` is when the last mail of its names was
 * written, null: none was.
 */
const budgetNotices = z.object({
  notices: z.array(z.object({ windowStart: z.number().nullable(), percent: z.number().int(), toldAt: z.number() })),
  namesMailedAt: z.number().nullable(),
});

/** What accounts answers: it keeps the budgets, and edges learn of them with the keys that they hold for. */
export const budgetOperations = {
  /**
   * `not_found` (no such account, no such key of it, no key of the project), `invalid` (dollars and tokens,
   * or neither, a key and a project, an unknown time zone, or one of a window that rolls, another model for a
   * budget that is not soft, or one that the catalog does not have or that is of another kind, a total of
   * each of any number of names, a window that rolls of each name),
   * `conflict` (a key that is revoked, a name that the account has already, too many budgets).
   */
  create: operation('accounts.budgets.create', newBudget.extend({ actor }), z.object({ budget })),
  /**
   * Changes name or limit, or what happens at it; what was spent stays. What is absent stays as it is.
   * `invalid`: a limit in tokens of a budget in dollars, or the other way, and another model as above.
   */
  update: operation(
    'accounts.budgets.update',
    z.object({
      budgetId: text(200),
      name: thingName(100).optional(),
      ...budgetLimit,
      ...changedExceeding,
      actor,
    }),
    z.object({ budget }),
  ),
  remove: operation('accounts.budgets.remove', z.object({ budgetId: text(200), actor }), z.object({})),
  /** `not_found`. */
  find: operation('accounts.budgets.find', z.object({ budgetId: text(200) }), z.object({ budget })),
  /** Who was told of it; see `budgetNotices`. `not_found`. */
  notices: operation('accounts.budgets.notices', z.object({ budgetId: text(200) }), budgetNotices),
  /** All, or those of an account, the newest first. */
  list: operation(
    'accounts.budgets.list',
    z.object({
      accountId: text(200).optional(),
      limit: z.number().int().min(1).max(500).default(100),
      after: z.string().optional(),
    }),
    z.object({ budgets: z.array(budget), next: z.string().nullable() }),
  ),
};

/**
 * How a budget stands. `held`: what edges hold to reserve from, and what requests reserved whose usage is not
 * stored yet. What is left is limit - spent - held.
 * `resetsAt`: when its window ends, epoch milliseconds; null: never. Of a window that rolls, when the first
 * of what is spent leaves it; told with a refusal, when enough has left for the request. `spentNanoUsd` may
 * be below 0 after a correction.
 */
export const budgetState = z.object({
  limitNanoUsd: nanoUsd,
  spentNanoUsd: signedNanoUsd,
  heldNanoUsd: nanoUsd,
  resetsAt: z.number().nullable(),
});
export type BudgetState = z.infer<typeof budgetState>;

/**
 * A moment (epoch milliseconds) at which some of what is spent leaves a window that rolls, and how much of
 * the limit is not spent then, be nothing else spent meanwhile.
 */
const budgetLeave = z.object({ at: z.number(), unspentNanoUsd: signedNanoUsd });

/**
 * What a request holds of one budget, from its admission until its usage is stored: so much of this lease.
 * `budgetId`: absent where an edge of an older release set it aside. `unit`: absent: dollars.
 */
export const budgetHold = z.object({
  lease: z.string(),
  nanoUsd,
  budgetId: z.string().optional(),
  unit: budgetUnit.optional(),
});
export type BudgetHold = z.infer<typeof budgetHold>;

/**
 * How far a budget has come. `windowStart`: since when its window counts, epoch milliseconds; of one that
 * rolls, the last whole multiple of its length since 1970, which is no border of what it counts.
 * `hasRefused`: a request was refused in this window, under the limit of now, since something was left, but
 * less than it might have cost; of one that rolls, in its last minutes. A soft budget refuses nothing.
 * `refusal`: what the first of them might have cost, and what was left then; of a window that rolls the first
 * of the newest slice that has one. Null: none was refused, or only a metering of the release before saw it.
 * Such a metering also tells refusals of soft budgets, and of those of which nothing is left.
 */
const reachedBudget = budgetState.omit({ heldNanoUsd: true }).extend({
  budgetId: z.string(),
  windowStart: z.number(),
  hasRefused: z.boolean(),
  refusal: z.object({ mayCostNanoUsd: nanoUsd, leftNanoUsd: signedNanoUsd }).nullable().default(null),
});
export type ReachedBudget = z.infer<typeof reachedBudget>;

/**
 * How the part of one name stands, of a budget that each has alone. `name` null: it is known by its digest
 * alone (`digestOfName`), as nothing was spent for it since metering keeps names.
 */
const budgetName = z.object({ name: z.string().nullable(), nameDigest: z.string(), state: budgetState });

/**
 * A name of which nobody was told yet that it has spent so much of its part, 50, 80 or 100 percent; or, with
 * `percent` `ofRefusal`, that a request was refused while some of it was left (`refusal`). `toldPercent`: of
 * which somebody was told before, 0: of none; null where a metering of an older release does not say it.
 */
const reachedName = reachedBudget.omit({ hasRefused: true }).extend({
  name: z.string().nullable(),
  nameDigest: z.string(),
  percent: z.number().int(),
  toldPercent: z.number().int().nullable().default(null),
});

/** What was spent in a window. `spentNanoUsd` may be below 0 after a correction. */
const budgetWindowSum = z.object({
  startAt: z.number(),
  endAt: z.number(),
  spentNanoUsd: budgetState.shape.spentNanoUsd,
});

/** What metering answers: it counts what was spent, and grants what is left. */
export const budgetLeaseOperations = {
  /**
   * An edge asks for some to reserve from, as `meteringOperations.acquireLease` does of the quota. `granted`
   * is at most what is left, and nothing where that is less than `leastNanoUsd`, which the request that waits
   * needs. A lease ends after `ttlMs`
   * unless it is renewed. `state` null: there is no such budget any more, and nothing is granted.
   * `requestNanoUsd`: what that request may cost altogether; absent: of an edge of an older release.
   * `leaves`: where nothing is granted of a window that rolls, in the order of time; of an older metering
   * none.
   * `nameDigest`: of a budget that each name has alone, whose part it is (`nameDigest`); else absent.
   */
  acquire: operation(
    'metering.budgets.acquire',
    z.object({
      leaseId: z.string(),
      sequence: z.number().int(),
      budgetId: z.string(),
      nameDigest: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
      edgeId: z.string(),
      nanoUsd,
      leastNanoUsd: nanoUsd,
      requestNanoUsd: nanoUsd.optional(),
    }),
    z.object({
      grantedNanoUsd: nanoUsd,
      ttlMs: z.number().int(),
      state: budgetState.nullable(),
      leaves: z.array(budgetLeave).default([]),
    }),
  ),
  /**
   * Keeps leases alive, and gives back what each no longer needs. One that metering does not know (any more),
   * or that is closed, is left out of `renewed`.
   */
  renew: operation(
    'metering.budgets.renew',
    z.object({
      edgeId: z.string(),
      leases: z.array(z.object({ leaseId: z.string(), giveBackNanoUsd: nanoUsd, close: z.boolean() })).max(1000),
    }),
    z.object({ renewed: z.array(z.string()), ttlMs: z.number().int() }),
  ),
  /** How budgets stand, by id. Those that do not exist, and those that each name has alone, are left out. */
  states: operation(
    'metering.budgets.states',
    z.object({ budgetIds: z.array(z.string()).max(500) }),
    z.object({ states: z.record(z.string(), budgetState) }),
  ),
  /**
   * The budgets of which so many percent, or more, are spent in the window at hand, or that refused a request
   * in it with something left; by id, a page at a time: those among so many budgets (`limit`), maybe none.
   */
  reached: operation(
    'metering.budgets.reached',
    z.object({
      percent: z.number().int().min(1).max(100),
      limit: z.number().int().min(1).max(500).default(500),
      after: z.string().optional(),
    }),
    z.object({ budgets: z.array(reachedBudget), next: z.string().nullable() }),
  ),
  /**
   * How names stand of a budget that each has alone, in the window at hand: those of `names` that match it,
   * or, without, those that spent the most, the first of them first. None of another budget. `keyId`: only
   * where the budget is of this key, maybe beside those whose place it took. `windowStart`: in the window
   * that began then (epoch milliseconds); the sums of a window are kept until a day after its end.
   */
  names: operation(
    'metering.budgets.names',
    z.object({
      budgetId: text(200),
      names: z.array(text(longestAttributionName).min(1)).max(100).optional(),
      keyId: z.string().optional(),
      windowStart: z.number().optional(),
      limit: z.number().int().min(1).max(100).default(20),
    }),
    z.object({ names: z.array(budgetName) }),
  ),
  /**
   * What was spent of a budget in the calendar windows whose sums are kept (those that began in the last 40
   * days), the newest first, the one at hand among them; times are epoch milliseconds. One in which nobody
   * asked for any of it is left out. None of a total, of a window that rolls, and of a budget that each name
   * has alone.
   */
  windows: operation(
    'metering.budgets.windows',
    z.object({ budgetId: text(200), limit: z.number().int().min(1).max(100).default(20) }),
    z.object({ windows: z.array(budgetWindowSum) }),
  ),
  /**
   * Some of the names that came to a threshold of their parts, of which `namesTold` was not told yet.
   * `refusals`: also those that were refused a request, which an accounts of the release before does not
   * know. `refusalsApart`: 100 percent is never a refusal, as which a metering of the release before tells
   * it, too.
   */
  reachedNames: operation(
    'metering.budgets.reached-names',
    z.object({ limit: z.number().int().min(1).max(500).default(100), refusals: z.boolean().default(false) }),
    z.object({ names: z.array(reachedName), refusalsApart: z.boolean().default(false) }),
  ),
  /** People were told of these. */
  namesTold: operation(
    'metering.budgets.names-told',
    z.object({
      names: z
        .array(
          reachedName.pick({ budgetId: true, nameDigest: true, windowStart: true, limitNanoUsd: true, percent: true }),
        )
        .max(500),
    }),
    z.object({}),
  ),
};
