import type { QuotaProof } from './prove-quota';

/** The proof as a text for people. */
export function quotaReport({ crowd, killed, reservedUntilMs, holds }: QuotaProof): string {
  const until =
    reservedUntilMs === null
      ? 'still reserved after two minutes'
      : `all free again ${(reservedUntilMs / 1_000).toFixed(1)} s later`;
  return [
    '',
    `${crowd.requests} requests at once on room for ${crowd.room}: ${crowd.admitted} admitted, ${crowd.used} of ${crowd.quota} tokens used`,
    `every edge and inference instance killed with ${killed.inFlight} requests under way: ${killed.reservedTokens} tokens reserved, ${until}`,
    holds ? 'Proved: no quota overspent, no reservation left.' : 'NOT proved.',
  ].join('\n');
}
