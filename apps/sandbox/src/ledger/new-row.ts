import { randomUUID } from 'node:crypto';
import type { LedgerRow } from './ledger';

/**
 * The row of a request that has just come. `clientRequestId` is the header of that name; a request without
 * one gets an id of its own.
 */
export function newRow(clientRequestId: string | string[] | undefined): LedgerRow {
  const named = typeof clientRequestId === 'string' ? clientRequestId : (clientRequestId?.[0] ?? '');
  return {
    requestId: named || randomUUID(),
    answerId: randomUUID().replaceAll('-', ''),
    model: '',
    kind: 'generation',
    stream: false,
    state: 'open',
    status: 0,
    fault: null,
    inputTokens: 0,
    audioInputTokens: 0,
    seen: { image: 0, video: 0 },
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 0,
    audioOutputTokens: 0,
    answeredBy: null,
    served: [],
    units: {},
    samplings: [],
    chunks: 0,
    startedAt: Date.now(),
    endedAt: null,
    closedByPeerAt: null,
  };
}
