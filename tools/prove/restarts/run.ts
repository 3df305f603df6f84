import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { everything, proveRestarts, restartEnvironment } from './prove-restarts';
import { restartsReport } from './restarts-report';

/** `--keep` leaves databases and logs for a look. */
export const restartsOptions = {
  times: { type: 'string', default: '10' },
  'per-second': { type: 'string', default: '20' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when no request failed and no stream was cut. */
export function runRestarts(values: ProofValues<typeof restartsOptions>, onProgress: Say): Promise<boolean> {
  return withValkey((valkey) => {
    const environment = { VALKEY_URL: valkey.url, ...restartEnvironment };
    const options = { onProgress, keep: values.keep, instances: everything.instances, environment };
    return withStack(options, async (stack) => {
      const proof = await proveRestarts(stack, {
        ...everything,
        times: Number(values.times),
        perSecond: Number(values['per-second']),
        onProgress,
      });
      onProgress(restartsReport(proof));
      return proof.holds;
    });
  });
}
