import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { proveQuota, type QuotaProof } from './prove-quota';

export const quotaOptions = {
  crowd: { type: 'string', default: '200' },
  'in-flight': { type: 'string', default: '10000' },
} as const;

/** Holds when nothing was overspent and nothing stays reserved. */
export function runQuota(values: ProofValues<typeof quotaOptions>, onProgress: Say): Promise<boolean> {
  return withValkey((valkey) => {
    const environment = {
      VALKEY_URL: valkey.url,
      LOG_LEVEL: 'warn',
      INFERENCE_MAX_IN_FLIGHT: values['in-flight'],
      INFERENCE_UPSTREAM_CONNECTIONS: values['in-flight'],
    };
    const instances = { edge: 3, inference: 2, metering: 2 };
    return withStack({ durable: false, instances, environment }, async (stack) => {
      const options = { crowd: Number(values.crowd), inFlight: Number(values['in-flight']), onProgress };
      const proof = await proveQuota(stack, options);
      onProgress(quotaReport(proof));
      return proof.holds;
    });
  });
}

/** The proof as a text for people. */
function quotaReport({ crowd, killed, reservedUntilMs, holds }: QuotaProof): string {
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
