import { z } from 'zod';
import { attribution } from './metering/attribution';
import { budgetHold } from './metering/budgets';
import { priceFactors } from './money';
import type { GenerationRequest } from './inference/generation';
import { surfaceName } from './surface';

const tokens = z.number().int().nonnegative();

const usd = z.string().regex(/^\d+$/, 'whole nano-dollars');

/** What decides the price of tokens that one place served, in its own words; see `servedTerms`. */
const placeTerms = z.object({
  tier: z.string().optional(),
  speed: z.string().optional(),
  region: z.string().optional(),
  markedReads: z.literal(true).optional(),
  imageInput: tokens.optional(),
  videoInput: tokens.optional(),
  imageOutput: tokens.optional(),
  units: z.record(z.string(), tokens).optional(),
  ...priceFactors.shape,
});

/**
 * What decides the price of a request beside its tokens, as the provider told it; whatever is absent was as
 * usual. `tier`, `speed` and `region` are the words of the one that SERVED it, not of the one that was asked
 * for. `markedReads`: what was read from a cache had been marked for it by the caller. `imageInput`,
 * `videoInput` and `imageOutput` are parts of input and output, as the kinds of `tokenUsage` are. `units`:
 * how often what is not charged by tokens was used, by the names of price terms (`webSearch`).
 * `parts`: tokens, also counted in the whole, of samplings that are rated apart: those of
 * other models in the same request, and all but the last of its own, where it tells of several; by public id
 * or, where the catalog does not know it, the provider's name. A part with a `provider` was served there, in
 * the terms of its own `served`: the beginning of an answer that went on elsewhere when its stream broke.
 * `toldNanoUsd`: what the provider says that it charges, as a decimal string. `discount`, `markup`: of the
 * operator's contract for the deployment, as they were when it was asked.
 */
const servedTerms = placeTerms.extend({
  parts: z
    .array(
      z.object({
        model: z.string(),
        input: tokens,
        output: tokens,
        cachedInput: tokens,
        cacheWrite5m: tokens,
        cacheWrite1h: tokens,
        reasoning: tokens.optional(),
        audioInput: tokens.optional(),
        audioOutput: tokens.optional(),
        provider: z.string().optional(),
        served: placeTerms.optional(),
      }),
    )
    .optional(),
  toldNanoUsd: usd.optional(),
});
export type ServedTerms = z.infer<typeof servedTerms>;
/** Tokens of a request that are rated apart from the rest. */
export type UsagePart = NonNullable<ServedTerms['parts']>[number];

/**
 * Tokens of one generation in one convention, whatever the provider's own: `input` INCLUDES cached and
 * cache-write tokens, `output` INCLUDES reasoning. The other fields say how much of those two was of that
 * kind. `cacheWrite5m` is what was written for the provider's shorter time (minutes: 5 at Anthropic, 30 at
 * OpenAI), `cacheWrite1h` for its longer one (hours: 1 at Anthropic, 12 at OpenAI). `served` absent: in the
 * usual way, by tokens alone.
 */
export const tokenUsage = z.object({
  input: tokens,
  output: tokens,
  cachedInput: tokens.default(0),
  cacheWrite5m: tokens.default(0),
  cacheWrite1h: tokens.default(0),
  reasoning: tokens.default(0),
  audioInput: tokens.default(0),
  audioOutput: tokens.default(0),
  served: servedTerms.optional(),
});
export type TokenUsage = z.infer<typeof tokenUsage>;

/** No tokens at all. */
export const noUsage: TokenUsage = {
  input: 0,
  output: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0,
};

/** The tokens of two uses. What served them is not said. */
export function tokensOfBoth(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cachedInput: one.cachedInput + other.cachedInput,
    cacheWrite5m: one.cacheWrite5m + other.cacheWrite5m,
    cacheWrite1h: one.cacheWrite1h + other.cacheWrite1h,
    reasoning: one.reasoning + other.reasoning,
    audioInput: one.audioInput + other.audioInput,
    audioOutput: one.audioOutput + other.audioOutput,
  };
}

/**
 * What is left of a use when its parts are taken out of it: the tokens of the last sampling of the model
 * itself.
 */
export function withoutParts(usage: TokenUsage): TokenUsage {
  const parts = usage.served?.parts;
  if (parts === undefined) return usage;
  const rest = (kind: Exclude<keyof TokenUsage, 'served'>): number =>
    Math.max(0, usage[kind] - parts.reduce((sum, part) => sum + (part[kind] ?? 0), 0));
  return {
    ...usage,
    input: rest('input'),
    output: rest('output'),
    cachedInput: rest('cachedInput'),
    cacheWrite5m: rest('cacheWrite5m'),
    cacheWrite1h: rest('cacheWrite1h'),
    reasoning: rest('reasoning'),
    audioInput: rest('audioInput'),
    audioOutput: rest('audioOutput'),
  };
}

/**
 * One try at one deployment. `status` is the provider's HTTP status, null when none arrived; `error` is a
 * short code, null when it succeeded. `unbilled`: tokens that the provider may charge the operator for, and
 * the caller does not pay, with those of each kind, and what decides their price beside them, where there are
 * any; `estimated` where a tokenizer counted a part of them; absent: none are known of.
 * `startedAfterMs`: from the start of the request; absent
 * in events that were written before there was such a member. `reason`: why it failed, in words that its
 * caller may read: the provider's, redacted and cut. `detail`: what the provider said of the operator's
 * account or settings, which only administrators may read. Both absent: there were no words. `goesOn`: the
 * answer of the caller, whose stream had broken at another place, went on with this one.
 * `answerId`: what the provider calls its answer, kept where it tells by that what the answer cost; absent:
 * it does not, or told no id. `ownKey`: it went with a key that the caller's account brought. Times in
 * milliseconds.
 */
export const attempt = z.object({
  deployment: z.string(),
  provider: z.string(),
  status: z.number().int().nullable(),
  error: z.string().nullable(),
  latencyMs: z.number().nonnegative(),
  unbilled: z
    .object({
      ...{ input: tokens, output: tokens },
      ...{ cachedInput: tokens.optional(), cacheWrite5m: tokens.optional(), cacheWrite1h: tokens.optional() },
      ...{ reasoning: tokens.optional(), audioInput: tokens.optional(), audioOutput: tokens.optional() },
      served: placeTerms.optional(),
      estimated: z.literal(true).optional(),
    })
    .optional(),
  startedAfterMs: z.number().nonnegative().optional(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  goesOn: z.literal(true).optional(),
  answerId: z.string().optional(),
  ownKey: z.literal(true).optional(),
});
export type Attempt = z.infer<typeof attempt>;

/**
 * The one immutable record of a request that reached a provider, or was answered from the response cache.
 * `id` is made by edge, so that whoever reports it, once or more often, reports the same event.
 * `model` is the public id of the model that answered (and is billed); `requestedModel` what the caller asked
 * for.
 * Times are epoch milliseconds; `firstTokenAt` null: no content was sent, or it came in one piece,
 * unstreamed. `estimated`: a tokenizer counted, because the provider told no usage.
 * `status` is the HTTP status that the caller got (499: the caller left before it got one).
 * `lease` names the quota lease that the tokens were reserved from, null when none was; `reserved` says how
 * many were set aside at admission, an upper bound of what it could use, absent: none, or not known.
 * `budgets`: what it held of budgets, which is held no more when the event is stored; absent: nothing.
 * `cached`: edge answered from its response cache. No provider was asked, so there is no attempt, no token
 * and no charge; absent: false.
 * `attribution`: for whom it was made; absent: its caller said nothing, or a service is of a release without
 * it.
 */
export const usageEvent = z.object({
  id: z.string(),
  requestId: z.string(),
  keyId: z.string(),
  accountId: z.string(),
  requestedModel: z.string(),
  model: z.string(),
  surface: surfaceName,
  stream: z.boolean(),
  state: z.enum(['completed', 'failed', 'cancelled']),
  status: z.number().int(),
  estimated: z.boolean(),
  usage: tokenUsage,
  attempts: z.array(attempt),
  startedAt: z.number(),
  firstTokenAt: z.number().nullable(),
  endedAt: z.number(),
  lease: z.string().nullable(),
  reserved: tokens.optional(),
  budgets: z.array(budgetHold).optional(),
  reportedBy: z.enum(['inference', 'edge']),
  cached: z.boolean().optional(),
  attribution: attribution.optional(),
});
export type UsageEvent = z.infer<typeof usageEvent>;

/** What an event says of how its request ended: all that the request itself does not know. */
export type UsageOutcome = Omit<
  UsageEvent,
  | 'id'
  | 'requestId'
  | 'keyId'
  | 'accountId'
  | 'requestedModel'
  | 'surface'
  | 'stream'
  | 'startedAt'
  | 'reserved'
  | 'budgets'
  | 'attribution'
>;

/**
 * The outcome of a request whose caller got nothing, through no act of its own: it costs the caller nothing,
 * and what the attempt used that it would have paid for stands there, for the operator. `billed`: which of
 * the attempts that is.
 */
export function notCharged(outcome: UsageOutcome, billed = outcome.attempts.length - 1): UsageOutcome {
  const { usage, estimated } = outcome;
  const attempts = outcome.attempts.map((tried, index) =>
    index === billed ? withUnbilled(tried, usage, estimated) : tried,
  );
  return { ...outcome, usage: noUsage, attempts };
}

/** The attempt with what its provider may charge for it, and the caller does not pay; as it was, if nothing. */
export function withUnbilled(
  tried: Attempt,
  { input, output, served, ...kinds }: TokenUsage,
  estimated: boolean,
): Attempt {
  const units = Object.values(served?.units ?? {});
  if (input + output === 0 && units.every((count) => count === 0)) return tried;
  const terms = served && termsOfBill(served);
  const unbilled = {
    ...{ input, output },
    ...Object.fromEntries(Object.entries(kinds).filter(([, count]) => count > 0)),
    ...(terms && Object.keys(terms).length > 0 && { served: terms }),
    ...(estimated && { estimated }),
  };
  return { ...tried, unbilled };
}

/** What decides what a provider charges. The operator's own mark-up does not, and parts are of several. */
function termsOfBill({ parts: _, toldNanoUsd: __, markup: ___, ...terms }: ServedTerms): ServedTerms {
  return terms;
}

/**
 * The one event of a request, whoever reports it. It is made for each request, so member by member: a spread
 * in front would cost several microseconds.
 */
export function usageEventOf(request: Omit<GenerationRequest, 'lease'>, outcome: UsageOutcome): UsageEvent {
  return {
    id: request.eventId,
    requestId: request.requestId,
    keyId: request.keyId,
    accountId: request.accountId,
    requestedModel: request.requestedModel,
    model: outcome.model,
    surface: request.surface,
    stream: request.stream,
    state: outcome.state,
    status: outcome.status,
    estimated: outcome.estimated,
    usage: outcome.usage,
    attempts: request.ownKeys ? outcome.attempts.map(onOwnKey) : outcome.attempts,
    startedAt: request.startedAt,
    // What comes in one piece has no first token: its time would be that of the whole.
    firstTokenAt: request.stream ? outcome.firstTokenAt : null,
    endedAt: outcome.endedAt,
    lease: outcome.lease,
    reserved: request.reserved,
    budgets: request.budgets,
    reportedBy: outcome.reportedBy,
    cached: outcome.cached,
    attribution: request.attribution,
  };
}

/** What its provider may charge for it is not the operator's. */
function onOwnKey({ unbilled: _, ...tried }: Attempt): Attempt {
  return { ...tried, ownKey: true };
}

/**
 * Whether a request went with keys that its account brought: they pay for all of it, and it costs nothing
 * here.
 */
export function isOnOwnKey({ attempts }: { readonly attempts: readonly Pick<Attempt, 'ownKey'>[] }): boolean {
  return attempts.at(-1)?.ownKey === true;
}

/**
 * The JetStream stream of usage events, its subject, metering's durable consumer, where events go that cannot
 * be read, and where each message is kept for some hours. A message's body is a JSON array of events.
 */
export const usageStream = {
  name: 'USAGE',
  subject: 'usage.events',
  consumer: 'metering',
  deadLetterName: 'USAGE_DEAD',
  deadLetterSubject: 'usage.dead',
  keptName: 'USAGE_KEPT',
  keptSubject: 'usage.kept',
} as const;
