import type { GenerationRequest, UsageEvent } from '@tollgate/contracts';
import { usageEventOf, noUsage } from '@tollgate/contracts';
import type { KeptAnswer } from './kept-answer';

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
