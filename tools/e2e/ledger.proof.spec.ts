import { startValkey } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { ledgerReport } from '../prove/ledger/ledger-report';
import { proveLedger } from '../prove/ledger/prove-ledger';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

let valkey: ValkeyServer;
let test: TestStack;

beforeAll(async () => {
  valkey = await startValkey();
  test = await startTestStack({
    instances: { edge: 2, inference: 2, metering: 2 },
    environment: { VALKEY_URL: valkey.url },
  });
});
afterAll(async () => {
  await test.stop();
  await valkey.stop();
});

/**
 * The short form of `npm run prove -- ledger`: the same load, and ten strikes among which this seed has a kill of an edge, an inference, a metering, NATS, Postgres and
 * Valkey, something frozen that callers, and something that services wait for, and restarts of edge and metering.
 */
it('has one exact ledger over all surfaces and dialects, whatever is killed, frozen and restarted', async () => {
  const proof = await proveLedger(test.stack, valkey, {
    ...{ requests: 2_000, perSecond: 70, strikes: 10, calmMs: 1_500, seed: 1740 },
    onProgress: () => undefined,
  });
  if (!proof.holds) throw new Error(ledgerReport(proof));
  expect(new Set(proof.strikes.map(({ action }) => action)).size).toBe(3);
  expect(proof.outcomes.complete).toBeGreaterThan(1_000);
}, 600_000);
