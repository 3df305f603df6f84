import { startNatsCluster, startPostgresPair, startValkeyPair } from '@tollgate/testing';
import type { NatsCluster, PostgresPair, ValkeyPair } from '@tollgate/testing';
import { Balancer } from '../prove/balancer';
import { clusterReport } from '../prove/cluster/cluster-report';
import { proveCluster } from '../prove/cluster/prove-cluster';
import { strikesOn } from '../prove/cluster/strikes';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

let cluster: NatsCluster;
let pair: PostgresPair;
let valkey: ValkeyPair;
let test: TestStack;
/** What ends all that was started, the first first. */
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  cluster = await startNatsCluster(3);
  stops.push(() => cluster.stop());
  pair = await startPostgresPair();
  stops.push(() => pair.stop());
  valkey = await startValkeyPair();
  stops.push(() => valkey.stop());
  test = await startTestStack({
    layout: 'split',
    instances: { inference: 2 },
    ...{ natsUrl: cluster.url, databaseUrl: pair.url, environment: { VALKEY_URL: valkey.url } },
  });
  stops.push(() => test.stop());
});
afterAll(async () => {
  const faults: unknown[] = [];
  for (const stop of stops.reverse()) await stop().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw new AggregateError(faults, 'not all ended in order');
});

/**
 * What may fail visibly though it is planned, of all answers: here the machine has two cores for three nodes,
 * two databases and all services. In the whole proof nothing may.
 */
const mayFail = 0.01;

/**
 * The short form of `npm run prove -- cluster`, which also judges how soon all is well again after a kill,
 * and that no answer is cut by it: that takes links that are back within two seconds, so a machine that does
 * nothing else.
 */
it('bills all once, to the token, when a node of NATS is killed, and nobody notices the upgrade of another, that Valkey is killed, or that a standby takes over', async () => {
  const { stack } = test;
  const balancer = new Balancer(stack.baseUrls);
  const site = { cluster, stack, balancer, pair, pooler: null, valkey };
  const chosen = ['kill nats-1', 'roll nats-2', 'kill valkey', 'takeover, synchronous'];
  const strikes = strikesOn(site, ['kill', 'roll', 'valkey', 'takeover'], [], () => undefined).filter(({ name }) =>
    chosen.includes(name),
  );
  const proof = await proveCluster(stack, balancer, strikes, {
    ...{ calmMs: 6_000, perSecond: 15 },
    onProgress: () => undefined,
  });
  const isWell = proof.strikes.every(({ answers, cut, failed, silent, isPlanned, faults }) => {
    return faults.length === 0 && silent === 0 && (!isPlanned || (cut === 0 && failed <= mayFail * answers));
  });
  const { untold } = proof.answeredTwice;
  if (!isWell || proof.wrongBill.length > 0 || untold.length > 0) throw new Error(clusterReport(proof));
  expect(proof.strikes.map(({ name }) => name).sort()).toEqual([...chosen].sort());
  expect(proof.strikes.every(({ answers }) => answers > 0)).toBe(true);
}, 600_000);
