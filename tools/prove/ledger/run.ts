import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { ledgerReport } from './ledger-report';
import { ledgerEnvironment, proveLedger } from './prove-ledger';

/** `--keep` leaves databases and logs for a look; `--seed` repeats an order of strikes. */
export const ledgerOptions = {
  requests: { type: 'string', default: '100000' },
  'per-second': { type: 'string', default: '200' },
  'calm-ms': { type: 'string', default: '5000' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when callers, provider and ledger agree. */
export function runLedger(values: ProofValues<typeof ledgerOptions>, onProgress: Say): Promise<boolean> {
  const instances = { edge: 2, inference: 2, metering: 2 };
  return withValkey((valkey) => {
    const options = {
      onProgress,
      keep: values.keep,
      instances,
      environment: { VALKEY_URL: valkey.url, ...ledgerEnvironment },
    };
    return withStack(options, async (stack) => {
      const proof = await proveLedger(stack, valkey, {
        requests: Number(values.requests),
        strikes: 1,
        perSecond: Number(values['per-second']),
        calmMs: Number(values['calm-ms']),
        seed: Number(values.seed),
        onProgress,
      });
      onProgress(ledgerReport(proof));
      return proof.holds;
    });
  });
}
