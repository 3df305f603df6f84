import { startValkey } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { ledgerReport } from '../prove/ledger/ledger-report';
import { ledgerEnvironment, proveLedger } from '../prove/ledger/prove-ledger';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

let valkey: Promise<ValkeyServer>;
let test: Promise<TestStack>;

beforeAll(async () => {
  valkey = startValkey();
  test = valkey.then(({ url }) =>
    startTestStack({
      layout: 'split',
      instances: { edge: 2, inference: 2, metering: 2 },
      environment: { VALKEY_URL: url, ...ledgerEnvironment },
    }),
  );
  await test;
}, 300_000);
/** A start that failed has left nothing; one that nobody waits for any more ends here too. */
afterAll(async () => {
  try {
    await test.then(({ stop }) => stop(), nothing);
  } finally {
    await valkey.then((server) => server.stop(), nothing);
  }
}, 300_000);
const nothing = () => undefined;

/**
 * An order of strikes that hits everything within ten of them, half of them deadly, an edge early: what that
 * one had reserved is free a minute later, which all others wait for.
 */
const seed = 2761;
const everything = ['nats', 'postgres', 'valkey', 'accounts', 'catalog', 'metering', 'inference', 'edge'];

/** The short form of `npm run prove -- ledger`: the same load and strikes, always in the same order. */
it('has one exact ledger over all surfaces and dialects, whatever is killed, frozen and restarted', async () => {
  const proof = await proveLedger((await test).stack, await valkey, {
    ...{ requests: 2_000, perSecond: 40, strikes: 10, calmMs: 1_500, seed },
    onProgress: () => undefined,
  });
  if (!proof.holds) throw new Error(ledgerReport(proof));
  expect(proof.strikes.length).toBeGreaterThanOrEqual(10);
  expect(new Set(proof.strikes.map(({ victim }) => victim.replace(/-\d$/, '')))).toEqual(new Set(everything));
  expect(proof.outcomes.complete).toBeGreaterThan(800);
}, 600_000);
