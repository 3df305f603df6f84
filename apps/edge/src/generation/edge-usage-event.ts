import {
  type ServedTerms,
  type UsageEvent,
  type UsageOutcome,
  notCharged,
  usageEventOf,
  noUsage,
} from '@tollgate/contracts';
import type { GenerationAttempt, GenerationRequest } from '@tollgate/contracts/inference';
import type { KeptAnswer } from '../response-cache/kept-answer';

/**
 * What edge saw of a generation whose inference instance will not account for it. Times are epoch
 * milliseconds.
 */
export interface SeenGeneration {
  request: GenerationRequest;
  attempts: readonly (GenerationAttempt & { beganAt: number })[];
  lastAttempt: GenerationAttempt;
  state: 'failed' | 'cancelled';
  /** What the caller got; 499 when it left before it got anything. */
  status: number;
  /** The provider's status, as far as the answer's head told it. */
  providerStatus: number | null;
  failureCode: string;
  /** False: nothing was delivered, by no act of the caller, so that it pays nothing. */
  isCharged: boolean;
  inputTokens: number;
  outputTokens: number;
  /** What else of its price the answer had told; undefined: nothing. */
  served: ServedTerms | undefined;
  firstTokenAt: number | null;
  endedAt: number;
}

/**
 * The usage event of a generation that edge has to report itself: counted by tokenizer, so flagged as
 * estimated.
 */
export function edgeUsageEvent(seen: SeenGeneration): UsageEvent {
  const { request } = seen;
  const { factors } = seen.lastAttempt;
  const served = seen.served || factors ? { served: { ...seen.served, ...factors } } : {};
  const outcome: UsageOutcome = {
    model: seen.lastAttempt.model,
    state: seen.state,
    status: seen.status,
    estimated: true,
    usage: { ...noUsage, input: seen.inputTokens, output: seen.outputTokens, ...served },
    attempts: seen.attempts.map((attempt) => ({
      deployment: attempt.deployment,
      provider: attempt.provider,
      status: attempt.number === seen.lastAttempt.number ? seen.providerStatus : null,
      error: seen.failureCode,
      latencyMs: Math.max(0, seen.endedAt - attempt.beganAt),
      startedAfterMs: Math.max(0, attempt.beganAt - request.startedAt),
    })),
    firstTokenAt: seen.firstTokenAt,
    endedAt: seen.endedAt,
    lease: request.lease,
    reportedBy: 'edge',
  };
  return usageEventOf(request, seen.isCharged ? outcome : notCharged(outcome));
}

/**
 * The usage event of an answer from the cache: no provider, no tokens, no charge. It names the model that
 * answered first. `endedAt` in epoch milliseconds.
 */
export function cachedUsageEvent(
  request: Omit<GenerationRequest, 'lease'>,
  { head }: KeptAnswer,
  endedAt: number,
): UsageEvent {
  return usageEventOf(request, {
    model: head.headers['x-gateway-model'] ?? request.model,
    state: 'completed',
    status: head.status,
    estimated: false,
    usage: noUsage,
    attempts: [],
    firstTokenAt: null,
    endedAt,
    lease: null,
    reportedBy: 'edge',
    cached: true,
  });
}
