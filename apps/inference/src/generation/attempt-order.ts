import { GatewayError } from '@tollgate/contracts';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { compacting, dialectForTools, hasOnly, toolTypesIn } from '@tollgate/dialects';
import type {
  AnswerReader,
  ContinuedAnswer,
  AttemptOptions,
  PreparedAttempt,
  TranslatedRequest,
  Translation,
  UpstreamTarget,
} from '@tollgate/dialects';
import type { Guard } from '@tollgate/guardrails';
import type { HeldMemory } from '@tollgate/messaging';
import type { Route, Way } from '../routing/route-table';
import { timeLimitsOf } from '../routing/time-limits';
import { withKey, type PooledKey, lostBetas, upstreamHeaders } from '../upstream/provider-endpoint';
import type { UpstreamSend } from '../upstream/upstream-pools';
import type { AnswerFacts } from './caller-answer';

/** One try at one route, ready to be sent. */
export interface AttemptOrder {
  route: Route;
  /** Which of the provider's keys is used; null: it has one, or none. */
  key: PooledKey | null;
  /** Input tokens of what is asked, by tokenizer. */
  countInputTokens: () => number;
  send: UpstreamSend;
  facts: AnswerFacts;
  /** The caller runs this gateway: whatever fails, it hears where who was asked, and what was said. */
  ofOperator: boolean;
  /** The reader of an answer with a 2xx status. */
  answerReader: () => AnswerReader;
  /** Most bytes that are held back for an answer that is no stream, or for one event of a stream. */
  maxHeldBytes: number;
  /**
   * Memory for it, from that of all answers, as one of this caller's.
   * @throws MemoryFullError; the reason of `over`.
   */
  admit: (bytes: number, over: AbortSignal) => Promise<HeldMemory>;
  /**
   * Counts what was read of it in this turn of the event loop. True: no more is to be read until `resume` is
   * called.
   */
  read: (bytes: number, resume: () => void) => boolean;
  /** Writes an answer that may go on elsewhere, or goes on here; null: it may not. */
  continued: ContinuedAnswer | null;
}

/**
 * What an order takes from the run: `attempts` tells how many were begun, `leftMs` is the time until the
 * request's deadline.
 */
export interface AttemptCircumstances {
  attempts: () => number;
  leftMs: number;
  /** No other route comes after this one. */
  last: boolean;
  key: AttemptOrder['key'];
  /** How many other requests this instance has at the place already. */
  ahead: number;
  maxHeldBytes: number;
  admit: AttemptOrder['admit'];
  read: AttemptOrder['read'];
  /** Null: no guardrail holds for the answer. */
  guard: Guard | null;
  continued: ContinuedAnswer | null;
  /** The caller's limit, less what it has; absent: none. */
  maxOutputTokens: number | undefined;
  /**
   * What a thread made of the body for this route; undefined: nothing.
   * @throws what was thrown over it.
   */
  translated: (translation: Translation) => TranslatedRequest | undefined;
}

/**
 * Puts a caller's request into the provider's dialect, with its headers and limits.
 * @throws GatewayError 400 naming the field that this provider's dialect cannot express.
 */
export function attemptOrder(
  request: GenerationRequest,
  body: Uint8Array,
  planned: Route,
  circumstances: AttemptCircumstances,
): AttemptOrder {
  const { attempts, leftMs, last, key, ahead, maxHeldBytes, admit, read, guard, continued, translated } = circumstances;
  const newGate = guard && (() => guard.gate());
  const { includeUsage, tellThoughts = false } = request;
  const { maxOutputTokens = null } = circumstances;
  const options = { includeUsage, newGate, maxOutputTokens, continued, tellThoughts };
  const { route: way, prepared } = preparedFor(request, body, planned, key, options, translated);
  const route = key ? { ...way, endpoint: withKey(way.endpoint, key) } : way;
  const { endpoint } = route;
  const timeouts = timeLimitsOf(route, { stream: request.stream, last, ahead });
  const { path, headers, body: upstreamBody, warnings } = prepared.request;
  const passes = readsHeadersOf(request.surface, route.translation.provider);
  return {
    route,
    key,
    countInputTokens: () => route.translation.countInputTokens(body, route.model),
    send: {
      endpoint,
      timeouts,
      path,
      headers: upstreamHeaders(request, endpoint, headers, passes),
      body: upstreamBody,
      totalMs: Math.min(leftMs, timeouts.totalMs),
    },
    ofOperator: request.operator === true,
    facts: {
      route,
      stream: request.stream,
      attempts,
      warnings: [...warnings, ...lostBetas(request, endpoint.provider, passes)],
    },
    answerReader: () => prepared.answerReader(),
    maxHeldBytes,
    admit,
    read,
    continued,
  };
}

/** Whether a provider's dialect reads the headers of a surface: OpenAI's two are of one API. */
function readsHeadersOf(surface: string, dialect: string): boolean {
  return dialect === surface || [surface, dialect].every((name) => name.startsWith('openai-'));
}

export function targetOf(
  request: GenerationRequest,
  { endpoint, model, deployment }: Route,
  key: PooledKey | null,
): UpstreamTarget {
  const { upstreamModel } = deployment;
  const account = key?.account;
  const target = { provider: endpoint.provider, model, upstreamModel, stream: request.stream };
  return account === undefined ? target : { ...target, account };
}

/** Where the provider's rules send such a request instead of the route's own dialect; undefined: nowhere. */
export function wayOf(request: GenerationRequest, body: Uint8Array, route: Route): Way | undefined {
  const { elsewhere } = route;
  const dialect = elsewhere.length > 0 ? dialectForTools(request.surface, body, targetOf(request, route, null)) : null;
  return elsewhere.find(({ translation }) => translation.provider === dialect);
}

/**
 * In the provider's dialect that can say what is asked: another one than the route's where the provider's
 * rules send such requests there and it can, or has the model alone.
 */
function preparedFor(
  request: GenerationRequest,
  body: Uint8Array,
  route: Route,
  key: PooledKey | null,
  options: Required<Omit<AttemptOptions, 'translated'>>,
  translated: AttemptCircumstances['translated'],
): { route: Route; prepared: PreparedAttempt } {
  const target = targetOf(request, route, key);
  const compacts = request.kind === 'compact';
  const prepare = ({ translation }: Pick<Route, 'translation'>): PreparedAttempt => {
    const all = { ...options, translated: translated(translation) };
    return (compacts ? compacting(translation) : translation).prepare(body, target, all);
  };
  if (compacts) return { route, prepared: prepare(route) };
  const way = wayOf(request, body, route);
  if (way) {
    try {
      return { route: { ...route, ...way }, prepared: prepare(way) };
    } catch (error) {
      if (!(error instanceof GatewayError) || hasOnly(way.translation.provider, target)) throw error;
    }
  }
  try {
    return { route, prepared: prepare(route) };
  } catch (error) {
    const own = error instanceof GatewayError ? wayForTools(route.elsewhere, body) : null;
    if (!own) throw error;
    return { route: { ...route, ...own }, prepared: prepare(own) };
  }
}

/**
 * The provider's address for the tools that it runs itself, which its main dialect does not have. Null: none
 * of them is offered.
 */
function wayForTools(ways: readonly Way[], body: Uint8Array): Way | null {
  const reserved = ways.filter(({ forTools }) => forTools);
  const types = reserved.length > 0 ? toolTypesIn(body) : [];
  return reserved.find(({ forTools }) => types.some((type) => forTools?.test(type))) ?? null;
}
