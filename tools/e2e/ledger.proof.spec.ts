import { startValkey } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { ledgerReport } from '../prove/ledger/ledger-report';
import { ledgerEnvironment, proveLedger } from '../prove/ledger/prove-ledger';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

let valkey: ValkeyServer;
let test: TestStack;

beforeAll(async () => {
  valkey = await startValkey();
  test = await startTestStack({
    instances: { edge: 2, inference: 2, metering: 2 },
    environment: { VALKEY_URL: valkey.url, ...ledgerEnvironment },
  });
});
afterAll(async () => {
  try {
    await test.stop();
  } finally {
    await valkey.stop();
  }
});

/** The short form of `npm run prove -- ledger`: the same load and strikes, always in the same order. */
it('has one exact ledger over all surfaces and dialects, whatever is killed, frozen and restarted', async () => {
  const proof = await proveLedger(test.stack, valkey, {
    ...{ requests: 5_000, perSecond: 70, strikes: 10, calmMs: 1_500, seed: 7 },
    onProgress: () => undefined,
  });
  if (!proof.holds) throw new Error(ledgerReport(proof));
  expect(proof.strikes.length).toBeGreaterThanOrEqual(10);
  expect(proof.outcomes.complete).toBeGreaterThan(2_000);
}, 600_000);
