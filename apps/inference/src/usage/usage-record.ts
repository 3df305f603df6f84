import {
  notCharged,
  priceFactorsOf,
  tokensOfBoth,
  usageEventOf,
  withoutParts,
  withUnbilled,
  type TokenUsage,
  type Attempt,
  type UsageEvent,
  type UsageOutcome,
  type UsagePart,
  noUsage,
} from '@tollgate/contracts';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { withoutSnapshotDay, withSeen, type AnswerReader } from '@tollgate/dialects';
import type { Route } from '../routing/route-table';
import { toldTerms, toldUsage } from './told-usage';

/** What is known of an attempt when its tokens are counted. */
export interface TokenEvidence {
  completed: boolean;
  stream: boolean;
  requestSent: boolean;
  /** The reader of a good answer; null when no head arrived, or an HTTP error. */
  reader: AnswerReader | null;
  /** The provider's HTTP status, null when none arrived. */
  status: number | null;
}

/** Tokens of an attempt. `estimated`: a tokenizer counted at least a part. */
export interface TokenCount {
  usage: TokenUsage;
  estimated: boolean;
}

/**
 * All that is kept of what an attempt used that did not complete, until it is known who pays. `told`: what
 * its provider told, null: nothing, and then `input` is null. `estimated`: a part of it was not told.
 */
interface LostUse {
  readonly told: TokenUsage | null;
  readonly input: number | null;
  readonly output: number;
  readonly estimated: boolean;
}

const nothing: TokenCount = { usage: noUsage, estimated: false };
/** About what a token of a text has. */
const charactersPerToken = 4;

/**
 * The tokens that an attempt used. The provider's own count is the truth of a completed answer, but of one
 * that was cut at its limit, of which the caller got less. An answer that was cut off or cannot be read has
 * the provider's input count if it told one, else the tokenizer's, the output that arrived, and the uses of
 * the provider's own tools that the answer had told of. A request that the provider never got, or refused
 * with an HTTP error, used nothing.
 */
export function countTokens(evidence: TokenEvidence, countInput: () => number): TokenCount {
  const { reader, completed } = evidence;
  const told = toldUsage(reader);
  if (completed && told) return { usage: told, estimated: reader?.isCut ?? false };
  if (!completed && isWithoutUse(evidence)) return nothing;
  const seen = toldTerms(reader);
  const output = completed || evidence.stream ? (reader?.outputTokensSeen() ?? 0) : 0;
  if (!told) return { usage: withSeen({ ...noUsage, input: countInput(), output }, seen), estimated: true };
  const usesAreTold = told.served?.units !== undefined || seen?.units === undefined;
  // A count that covers all that arrived was told at the end of the answer: only its closing was cut off.
  if (output > 0 && told.output >= output && usesAreTold) return { usage: told, estimated: false };
  return { usage: withSeen({ ...told, output }, seen), estimated: true };
}

/**
 * What a provider may charge for an attempt, if its caller does not pay; null: nothing, since it never got
 * the request, or refused it with an HTTP error. No tokenizer counts it, for another attempt's answer may be
 * on its way to the caller: output that the provider did not tell is a fourth of the characters.
 */
export function lostUse({ requestSent, status, reader, stream }: Omit<TokenEvidence, 'completed'>): LostUse | null {
  if (isWithoutUse({ requestSent, status, reader })) return null;
  const told = toldUsage(reader);
  const seen = stream ? Math.ceil((reader?.outputLength ?? 0) / charactersPerToken) : 0;
  if (!told) return { told: null, input: null, output: seen, estimated: true };
  // What comes in one piece tells its usage once, of the whole; a stream may have told it too early.
  const isWhole = !stream || (seen > 0 && told.output >= seen);
  return { told, input: told.input, output: Math.max(told.output, seen), estimated: !isWhole };
}

function isWithoutUse({ requestSent, status, reader }: Omit<TokenEvidence, 'completed' | 'stream'>): boolean {
  return !requestSent || (status !== null && !reader);
}

/** An attempt that a caller pays for, if it pays at all. `number`: which of its call it is. */
export interface BilledAttempt {
  readonly route: Route;
  readonly number: number;
}

/** What an attempt used, and as what it stands in the event of an answer that went on elsewhere. */
export interface CountedAttempt extends BilledAttempt {
  readonly tokens: TokenCount;
  readonly parts: readonly UsagePart[];
}

/**
 * Ends one attempt of a record. `status` null: the provider sent none. `error` null: it succeeded. `more`:
 * why it failed, whether an answer went on with it, and what the provider calls its answer. `lost`: what its
 * provider may charge for it if its caller does not pay; absent or null: nothing. Null: it had ended before.
 */
export type EndAttempt = (
  status: number | null,
  error: string | null,
  more?: Pick<Attempt, 'reason' | 'detail' | 'goesOn' | 'answerId'>,
  lost?: LostUse | null,
) => Attempt | null;

/** How an event is charged. */
interface Charging {
  /** False: the caller pays nothing. */
  isCharged: boolean;
  /** The beginning of the answer, which was made elsewhere; null: there is none. */
  before: CountedAttempt | null;
  /** Tokens of the request, for attempts whose provider told none. */
  inputTokens: number;
}

/** An attempt that has ended. */
interface EndedAttempt {
  number: number;
  route: Route;
  attempt: Attempt;
  lost: LostUse | null;
}

/** What the one usage event of a request is made of, gathered while it runs. */
export class UsageRecord {
  private readonly ended: EndedAttempt[] = [];

  constructor(private readonly request: GenerationRequest) {}

  /** False: no attempt has ended, so there is nothing to report. */
  get reachedProvider(): boolean {
    return this.ended.length > 0;
  }

  /** True: tokens of the request are asked for, since a provider may charge for some that it did not tell. */
  get lacksInput(): boolean {
    return this.ended.some(({ lost }) => lost?.input === null);
  }

  beginAttempt(route: Route, number: number): EndAttempt {
    const startedMs = performance.now();
    // The request began by the clock of an edge, which may be ahead of ours.
    const startedAfterMs = Math.max(0, Date.now() - this.request.startedAt);
    let ended = false;
    return (status, error, more, lost = null) => {
      if (ended) return null;
      ended = true;
      const attempt: Attempt = {
        deployment: route.deployment.id,
        provider: route.endpoint.provider.id,
        status,
        error,
        latencyMs: Math.round(performance.now() - startedMs),
        startedAfterMs,
        ...more,
      };
      this.ended.push({ number, route, attempt, lost });
      return attempt;
    };
  }

  /**
   * What an attempt that has ended used, in the terms of its place, and as parts of a whole that another
   * place answered.
   */
  counted({ route, number }: BilledAttempt, tokens: TokenCount): CountedAttempt {
    const usage = this.termed(tokens.usage, { route, number });
    return { route, number, tokens: { ...tokens, usage }, parts: partsAt(route, usage) };
  }

  /**
   * The event, with its attempts in the order in which they ended: the one that answered is the last.
   * `billed` is the one that answered, or was the last to fail; null: none was tried.
   */
  event(
    facts: Pick<UsageEvent, 'state' | 'status' | 'firstTokenAt'>,
    billed: BilledAttempt | null,
    tokens: TokenCount,
    { isCharged, before, inputTokens }: Charging,
  ): UsageEvent {
    const { request } = this;
    const isUsed = facts.state === 'completed' || tokens.usage.input + tokens.usage.output > 0;
    const own = isUsed ? this.termed(tokens.usage, billed) : tokens.usage;
    const usage = before ? joined(before, own) : own;
    const outcome: UsageOutcome = {
      model: billed?.route.model.id ?? request.model,
      state: facts.state,
      status: facts.status,
      estimated: tokens.estimated || Boolean(before?.tokens.estimated),
      usage,
      attempts: this.ended.map(({ number, route, attempt, lost }) => {
        if (!lost || number === billed?.number || number === before?.number) return attempt;
        const lostUsage = { ...(lost.told ?? noUsage), input: lost.input ?? inputTokens, output: lost.output };
        const inSeconds = withSeconds(lostUsage, route, attempt);
        return withUnbilled(attempt, withFactors(inSeconds, route, request.startedAt), lost.estimated);
      }),
      firstTokenAt: facts.firstTokenAt,
      endedAt: Date.now(),
      lease: request.lease,
      reportedBy: 'inference',
    };
    if (isCharged) return usageEventOf(request, outcome);
    const at = this.ended.findIndex(({ number }) => number === billed?.number);
    return usageEventOf(request, notCharged(outcome, at));
  }

  /** What an attempt used, in the terms of its place. */
  private termed(usage: TokenUsage, billed: BilledAttempt | null): TokenUsage {
    const route = billed?.route ?? null;
    const tried = this.ended.find(({ number }) => number === billed?.number);
    return withFactors(
      withPublicParts(withSeconds(usage, route, tried?.attempt), route),
      route,
      this.request.startedAt,
    );
  }
}

/** What was used at a place, as parts of an answer that went on elsewhere. */
function partsAt({ model, endpoint }: Route, usage: TokenUsage): UsagePart[] {
  const { parts = [], toldNanoUsd: _, ...served } = usage.served ?? {};
  const { served: __, ...rest } = withoutParts(usage);
  const { tier, speed, region, discount, markup } = served;
  const provider = endpoint.provider.id;
  return [
    { model: model.id, ...rest, provider, served },
    ...parts.map((part) => ({ ...part, provider, served: { tier, speed, region, discount, markup } })),
  ];
}

/** What both made of one answer. What a provider says that it charges is not of the whole. */
function joined(before: CountedAttempt, own: TokenUsage): TokenUsage {
  const { toldNanoUsd: _, parts = [], ...served } = own.served ?? {};
  return { ...tokensOfBoth(before.tokens.usage, own), served: { ...served, parts: [...before.parts, ...parts] } };
}

/**
 * The seconds that the attempt took, begun ones whole, where the price of the model is by them: a unit of its
 * terms that is called `second`.
 */
function withSeconds(usage: TokenUsage, route: Route | null, tried: Attempt | undefined): TokenUsage {
  if (!tried || route?.model.prices?.terms?.units?.second === undefined) return usage;
  const second = Math.max(1, Math.ceil(tried.latencyMs / 1_000));
  return { ...usage, served: { ...usage.served, units: { ...usage.served?.units, second } } };
}

/** What the operator's contract for the deployment makes of the price of a request that started at `at`. */
function withFactors(usage: TokenUsage, route: Route | null, at: number): TokenUsage {
  const factors = route ? priceFactorsOf(route.deployment, at) : undefined;
  return factors ? { ...usage, served: { ...usage.served, ...factors } } : usage;
}

/**
 * The parts of an answer by the ids that the catalog has for their models: the request's own, or the
 * provider's and the name there without the day of its snapshot.
 */
function withPublicParts(usage: TokenUsage, route: Route | null): TokenUsage {
  const parts = usage.served?.parts;
  if (!route || parts === undefined) return usage;
  const { model, deployment, endpoint } = route;
  const own = withoutSnapshotDay(deployment.upstreamModel);
  const idOf = (name: string): string => (name === own ? model.id : `${endpoint.provider.id}/${name}`);
  const named = parts.map((part) => ({ ...part, model: idOf(withoutSnapshotDay(part.model)) }));
  return { ...usage, served: { ...usage.served, parts: named } };
}
