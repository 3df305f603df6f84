import type { GenerationRequest } from '@tollgate/contracts';
import type { AnswerReader } from '@tollgate/dialects';
import type { Guard } from '@tollgate/guardrails';
import type { Route } from '../routing/route-table';
import { timeLimitsOf } from '../routing/time-limits';
import { upstreamHeaders } from '../upstream/upstream-headers';
import type { UpstreamSend } from '../upstream/upstream-pools';
import type { AnswerFacts } from './answer-head';

/** One try at one route, ready to be sent. */
export interface AttemptOrder {
  route: Route;
  send: UpstreamSend;
  facts: AnswerFacts;
  /** The reader of an answer with a 2xx status. */
  answerReader: () => AnswerReader;
  /** Most bytes that are held back for an answer that is no stream, or for one event of a stream. */
  maxHeldBytes: number;
}

/** What an order takes from the run: `attempts` tells how many were begun, `leftMs` is the time until the request's deadline. */
export interface AttemptCircumstances {
  attempts: () => number;
  leftMs: number;
  /** No other route comes after this one. */
  last: boolean;
  maxHeldBytes: number;
  /** Null: no guardrail holds for the answer. */
  guard: Guard | null;
}

/**
 * Puts a caller's request into the provider's dialect, with its headers and limits.
 * @throws GatewayError 400 naming the field that this provider's dialect cannot express.
 */
export function attemptOrder(
  request: GenerationRequest,
  body: Uint8Array,
  route: Route,
  { attempts, leftMs, last, maxHeldBytes, guard }: AttemptCircumstances,
): AttemptOrder {
  const { endpoint, model, deployment } = route;
  const timeouts = timeLimitsOf(route, { stream: request.stream, last });
  const { provider } = endpoint;
  const target = { provider, model, upstreamModel: deployment.upstreamModel, stream: request.stream };
  const newGate = guard && (() => guard.gate());
  const prepared = route.translation.prepare(body, target, { includeUsage: request.includeUsage, newGate });
  const { path, headers, body: upstreamBody, warnings } = prepared.request;
  return {
    route,
    send: {
      endpoint,
      timeouts,
      path,
      headers: upstreamHeaders(request, endpoint, headers, route.translation.provider === request.surface),
      body: upstreamBody,
      totalMs: Math.min(leftMs, timeouts.totalMs),
    },
    facts: { route, stream: request.stream, attempts, warnings },
    answerReader: () => prepared.answerReader(),
    maxHeldBytes,
  };
}
