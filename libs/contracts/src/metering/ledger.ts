import { z } from 'zod';
import { budgetUnit } from './budgets';
import { operation } from '../operation';
import { priceDoubt } from '../catalog/price-doubt';
import { priceHours } from '../catalog/price-hours';
import { text } from '../text';
import { usageEvent } from '../usage-event';

const nanoUsd = z.string().regex(/^-?\d+$/);

/**
 * One line of a charge: `tokens` of a kind (requests, for the kind `request`; uses, for the kind `unit`) at a
 * rate. `ratePicoUsd` is whole pico-dollars (1e-12 USD) for each, which is micro-dollars per million;
 * `amountPicoUsd` is their product. Decimal strings, exact; null: no price is known, and the event is
 * unpriced.
 * `discount` and `markup` stand behind the lines that they are a part of, which part is `fraction`, a decimal
 * string; a discount is negative.
 * `unit` names what was used; `model` and `priceId` are told where another model of the same request is
 * charged by its own price row.
 */
export const chargeLine = z.object({
  kind: z.enum([
    'input',
    'cachedInput',
    'cacheWrite5m',
    'cacheWrite1h',
    'audioInput',
    'output',
    'reasoning',
    'audioOutput',
    'request',
    'imageInput',
    'videoInput',
    'imageOutput',
    'unit',
    'discount',
    'markup',
  ]),
  tokens: z.number().int(),
  ratePicoUsd: z.string().nullable(),
  amountPicoUsd: z.string().nullable(),
  unit: z.string().optional(),
  fraction: z.string().optional(),
  model: z.string().optional(),
  priceId: z.string().optional(),
});
export type ChargeLine = z.infer<typeof chargeLine>;

/** What people read for a kind of line; one of the kind `unit` has a name of its own. */
export const chargeKindNames: Record<ChargeLine['kind'], string> = {
  input: 'input',
  cachedInput: 'cached input',
  cacheWrite5m: 'cache write, for minutes',
  cacheWrite1h: 'cache write, for hours',
  audioInput: 'audio input',
  output: 'output',
  reasoning: 'reasoning',
  audioOutput: 'audio output',
  request: 'request',
  imageInput: 'image input',
  videoInput: 'video input',
  imageOutput: 'image output',
  unit: 'use',
  discount: 'discount of the deployment',
  markup: 'mark-up of the deployment',
};

/**
 * What was set aside of a budget before a request began, and what it cost of it: nothing where another model
 * answered than the budget counts, or its charge has no price. What is left of the first was released with
 * the event. Of several tags that each have the budget alone both are the sum. Amounts are in its `unit`.
 * `name` and `spentNanoUsd` null: the budget was removed since.
 */
const heldBudget = z.object({
  budgetId: z.string(),
  name: z.string().nullable(),
  unit: budgetUnit.default('usd'),
  heldNanoUsd: nanoUsd,
  spentNanoUsd: nanoUsd.nullable(),
});

/**
 * An event of the ledger with its charge, worked out again from the event and the price row that it keeps.
 * `storedNanoUsd` and `price` null: unpriced.
 * `aboveInputTokens` is the threshold of the long-context tier that holds, `hours` the hours of the day whose
 * factor is in the rates; null for none. The charge is right when `computedNanoUsd` equals `storedNanoUsd`;
 * a computed charge of null beside a stored one means that the price row is gone.
 */
export const explainedEvent = z.object({
  event: usageEvent,
  price: z
    .object({ id: z.string(), source: z.string(), validFrom: z.number(), validTo: z.number().nullable() })
    .nullable(),
  aboveInputTokens: z.number().int().nullable(),
  /** Absent in the replies of a release that knew no hours. */
  hours: priceHours.nullable().default(null),
  lines: z.array(chargeLine),
  computedNanoUsd: nanoUsd.nullable(),
  storedNanoUsd: nanoUsd.nullable(),
  /** Those whose holds name them; absent in the replies of a release that kept none. */
  budgets: z.array(heldBudget).default([]),
  ...priceDoubt.shape,
});
export type ExplainedEvent = z.infer<typeof explainedEvent>;

/** A lease that ended holding tokens which no event has settled. Times are epoch milliseconds. */
export const unsettledLease = z.object({
  leaseId: z.string(),
  keyId: z.string(),
  edgeId: z.string(),
  tokens: z.number().int(),
  endedAt: z.number(),
});
export type UnsettledLease = z.infer<typeof unsettledLease>;

/**
 * A usage message that could not be stored. `sequence` is its number in the stream of dead letters, `at` when
 * it came there (epoch milliseconds).
 */
export const deadLetter = z.object({
  sequence: z.number().int(),
  at: z.number(),
  reason: z.string(),
  bytes: z.number().int(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

const letterNumber = z.object({ sequence: z.number().int().positive() });

/** What operators ask about single events, and about usage that is missing. Metering answers. */
export const ledgerOperations = {
  /**
   * The events of a request id, or the one event of an event id, each with its charge. `not_found` when there
   * is none. At most 20, oldest first. A request id that a caller chose may take minutes to find;
   * `eventOnly`: the id is taken for an event's alone, which is quick.
   */
  explain: operation(
    'metering.ledger.explain',
    z.object({ id: text(200).min(1), eventOnly: z.boolean().default(false) }),
    z.object({ events: z.array(explainedEvent) }),
  ),
  /**
   * What the ledger will charge for an event that has ended and may not be stored yet, by the prices that are
   * in force as this is asked. Null: unpriced.
   * `unavailable` when Postgres is away.
   */
  quote: operation(
    'metering.ledger.quote',
    z.object({ event: usageEvent }),
    z.object({ costNanoUsd: nanoUsd.nullable() }),
  ),
  /**
   * Compares ended reservations with events: leases whose tokens no event settled, oldest first, the first
   * 1,000 of `count`. `tokens` is of all of them.
   * `pendingMessages` of usage still wait and may settle some. `forget` removes what is reported, once
   * somebody looked into it.
   */
  sweep: operation(
    'metering.ledger.sweep',
    z.object({ forget: z.boolean().default(false) }),
    z.object({
      leases: z.array(unsettledLease),
      count: z.number().int(),
      tokens: z.number().int(),
      pendingMessages: z.number().int(),
    }),
  ),
  /**
   * Stores usage again that JetStream keeps: some messages from the number `from` on; null: from the first
   * since `sinceMs` (epoch milliseconds). `stored` of the `received` events were missing. `next` is the
   * `from` of the next step, null after the last.
   */
  replayUsage: operation(
    'metering.usage.replay',
    z.object({ sinceMs: z.number().int(), from: z.number().int().positive().nullable() }),
    z.object({
      received: z.number().int(),
      stored: z.number().int(),
      problems: z.array(z.string()),
      next: z.number().int().nullable(),
    }),
  ),
  /**
   * Dead letters with a number above `after`, oldest first. `next` is the `after` of the next page, null on
   * the last.
   */
  listDeadLetters: operation(
    'metering.dead-letters.list',
    z.object({
      after: z.number().int().nonnegative().default(0),
      limit: z.number().int().min(1).max(100).default(100),
    }),
    z.object({ letters: z.array(deadLetter), next: z.number().int().nullable() }),
  ),
  /** One letter with its body: text, cut after 200,000 characters. */
  showDeadLetter: operation('metering.dead-letters.show', letterNumber, deadLetter.extend({ body: z.string() })),
  /**
   * Stores the events of a letter that can be read now, each once however often it was counted before, and
   * removes the letter when nothing unreadable is left in it.
   * `problems` says what is; then the letter stays.
   */
  replayDeadLetter: operation(
    'metering.dead-letters.replay',
    letterNumber,
    z.object({
      stored: z.number().int(),
      alreadyStored: z.number().int(),
      problems: z.array(z.string()),
      removed: z.boolean(),
    }),
  ),
  /** Removes a letter for good. */
  dropDeadLetter: operation('metering.dead-letters.drop', letterNumber, z.object({})),
};
