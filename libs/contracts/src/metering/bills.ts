import { z } from 'zod';
import { day } from '../calendar';
import type { CatalogModel } from '../catalog/catalog';
import { operation } from '../operation';
import { text } from '../text';

const picoUsd = z.string().regex(/^-?\d{1,30}$/, 'whole pico-dollars');
const provider = text(64).min(1);
const count = z.number().int().nonnegative();

/**
 * A line of what a provider bills for a day. `model`: the public id, else `provider/name`; empty where the
 * provider names none. `kind`: that of a charge's line or the name of its unit, where it is known which is
 * meant, else the provider's own words. `picoUsd`: whole pico-dollars (1e-12 USD), negative for a credit.
 * `quantity`: tokens or uses; null: not told. `requestId`: of the one request that the line is of, as the
 * gateway or the provider calls it; null: it is of many.
 */
const billedLine = z.object({
  model: text(300),
  kind: text(200),
  picoUsd,
  quantity: count.nullable(),
  requestId: text(200).min(1).nullable(),
});
export type BilledLine = z.infer<typeof billedLine>;

/**
 * How a provider tells what it bills, below its base URL, and the names of the variables that hold a key
 * which may read it.
 * `openai`: https://platform.openai.com/docs/api-reference/usage/costs; `anthropic`:
 * https://platform.claude.com/docs/en/api/admin/cost_report;
 * `openrouter`: no bill of a day, but what each answer cost, by its id:
 * https://openrouter.ai/docs/api/api-reference/generations/get-generation
 */
export const toldBills = z.object({
  form: z.enum(['openai', 'anthropic', 'openrouter']),
  keyEnv: z.array(z.string()).min(1),
});

const kindsInWords: Readonly<Record<string, string>> = {
  'cached input': 'cachedInput',
  'cache read': 'cachedInput',
  'cache write': 'cacheWrite',
  'audio input': 'audioInput',
  'audio output': 'audioOutput',
  'image input': 'imageInput',
  'image output': 'imageOutput',
  'web search': 'webSearch',
  'file search': 'fileSearch',
  'code interpreter': 'codeSession',
};

/**
 * The kind of a charge's line that a bill means by these words (`Cached input`, `output_tokens`); where it is
 * not known, the words themselves.
 */
export function kindInWords(words: string): string {
  const plain = words
    .trim()
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/ tokens?$/, '');
  if (plain === 'input' || plain === 'output') return plain;
  return kindsInWords[plain] ?? words.trim();
}

/**
 * What a provider says was used of a model in one minute (`at`: its start, epoch milliseconds). `input` holds
 * what came from a cache.
 */
const usedMinute = z.object({ model: text(300), at: z.number().int(), input: count, output: count });
export type UsedMinute = z.infer<typeof usedMinute>;

/** An answer as its provider calls it, and the usage event and the model (public id) that it was for. */
const keptAnswer = z.object({ answerId: z.string(), eventId: z.string(), model: z.string() });
export type KeptAnswer = z.infer<typeof keptAnswer>;

/** A provider's day, whose bill is asked for. */
const billedDay = z.object({ provider, day });
export type BilledDay = z.infer<typeof billedDay>;

/** What operators ask inference about bills: only inference reaches providers and holds their keys. */
export const billOperations = {
  /**
   * Reads the bills of a day and hands them to metering: of one provider, or of each that tells its costs and
   * whose key for that is set. `problem`: why one could not be read, without secrets; null: it was.
   * `not_found` where there is none.
   */
  read: operation(
    'inference.bills.read',
    z.object({ day, provider: provider.nullable().default(null) }),
    z.object({ bills: z.array(z.object({ provider, problem: z.string().nullable() })) }),
  ),
};

/**
 * A line of a provider's day beside what our prices make of the same usage. `billedPicoUsd` null: the
 * provider bills no such line; `ratedPicoUsd`: what is certain of ours, null: we know of no such usage.
 */
export const driftLine = z.object({
  day,
  provider: z.string(),
  model: z.string(),
  kind: z.string(),
  billedPicoUsd: picoUsd.nullable(),
  ratedPicoUsd: picoUsd.nullable(),
  /**
   * The part of `ratedPicoUsd` that no caller pays: what failed through no act of theirs, and attempts that
   * another one outran.
   */
  unbilledPicoUsd: picoUsd.default('0'),
  /**
   * What more may be billed of ours: attempts that no caller pays, of which their provider did not tell what
   * they used, by an estimate of it.
   */
  estimatedPicoUsd: picoUsd.default('0'),
  /** The bill less ours, as far as the estimates do not explain it (`certainDrift`). */
  driftPicoUsd: picoUsd,
  billedQuantity: z.number().nullable(),
  ratedQuantity: z.number().nullable(),
  /** What more may be billed than `ratedQuantity`. */
  estimatedQuantity: z.number().default(0),
  /** Of ours in this line, and those of them that had no price. */
  requests: z.number().int(),
  unpriced: z.number().int(),
});
export type DriftLine = z.infer<typeof driftLine>;

/**
 * A bill that was read or imported. `source`: `api`, or the file's name. `ratedAt`: when our side of its day
 * was worked out last; null: not yet. `problem`: why it could not be read the last time.
 * Times are epoch milliseconds.
 */
export const readBill = z.object({
  provider: z.string(),
  day,
  source: z.string(),
  readAt: z.number(),
  ratedAt: z.number().nullable(),
  problem: z.string().nullable(),
});
export type ReadBill = z.infer<typeof readBill>;

/**
 * Why a request stands behind a drift: the provider bills this very one otherwise; we know of no such one, or
 * the provider bills none; its minute differs in tokens; or all of the line's, as the bill tells no more.
 */
export const driftReasons = ['amount', 'unknown-here', 'not-billed', 'minute', 'line'] as const;

/**
 * A request behind a drift. `eventId` null: no request of ours. `billedPicoUsd` null: the bill does not tell
 * single requests. `estimatedPicoUsd`: what more than `ratedPicoUsd` may be billed for it, as in its line.
 */
export const driftRequest = z.object({
  eventId: z.string().nullable(),
  requestId: z.string(),
  at: z.number().nullable(),
  reason: z.enum(driftReasons),
  billedPicoUsd: picoUsd.nullable(),
  ratedPicoUsd: picoUsd.nullable(),
  estimatedPicoUsd: picoUsd.default('0'),
});
export type DriftRequest = z.infer<typeof driftRequest>;

const lineOfDay = billedDay.extend({ model: text(300), kind: text(200) });

/** What operators ask about the providers' bills. Metering answers. */
export const invoiceOperations = {
  /** Days from `from` to `to`, both included, of which a bill was read; 92 at most. */
  drift: operation(
    'metering.invoices.drift',
    z.object({ from: day, to: day, provider: provider.nullable().default(null) }),
    z.object({ lines: z.array(driftLine), bills: z.array(readBill) }),
  ),
  /** The requests behind a line, those that differ most first, 200 at most of `count`. */
  requests: operation(
    'metering.invoices.requests',
    lineOfDay,
    z.object({ requests: z.array(driftRequest), count: z.number().int() }),
  ),
  /**
   * Which days of these providers are to be read now: the last three whole ones, each twice a day, since
   * providers correct their figures. Inference asks, since nobody may speak into metering's inbox.
   */
  wanted: operation(
    'metering.invoices.wanted',
    z.object({ providers: z.array(provider).max(100) }),
    z.object({ days: z.array(billedDay) }),
  ),
  /**
   * The answers that a provider gave on a day, of which it tells the cost by their ids: a step behind the
   * event `after` (null: the first). `next`: what to ask for then; null: nothing is left.
   */
  answers: operation(
    'metering.invoices.answers',
    billedDay.extend({ after: z.string().nullable().default(null) }),
    z.object({ answers: z.array(keptAnswer), next: z.string().nullable() }),
  ),
  /**
   * Stores the bill of a provider for one day in place of what was stored; with `add`, beside it: a large one
   * comes in several steps, all of the same `reading`, an id that whoever hands it over makes.
   * `taken` false: another reading of the day has begun since, whose steps take the place of these; nothing
   * was stored. With a `problem` only that it could not be read.
   * Our side of the day is worked out in the background then.
   */
  store: operation(
    'metering.invoices.store',
    billedDay.extend({
      source: text(300).min(1),
      add: z.boolean().default(false),
      reading: z.uuid().nullable().default(null),
      problem: text(1_000).nullable().default(null),
      lines: z.array(billedLine).max(1_000).default([]),
      minutes: z.array(usedMinute).max(5_000).default([]),
    }),
    z.object({ taken: z.boolean().default(true) }),
  ),
};

/**
 * The public id of the model that a provider calls so, by itself or as of a day (`gpt-4o-2024-08-06`,
 * `claude-sonnet-4-20250514`); `provider/name` where the catalog knows none.
 */
export function modelNamedBy(
  models: Iterable<Pick<CatalogModel, 'id' | 'deployments'>>,
  provider: string,
  name: string,
): string {
  const known = [...models];
  for (const each of [name, name.replace(/-\d{4}-?\d{2}-?\d{2}$/, '')])
    for (const { id, deployments } of known)
      if (deployments.some((one) => one.provider === provider && one.upstreamModel === each)) return id;
  return `${provider}/${name}`;
}
