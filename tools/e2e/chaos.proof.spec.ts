import { startValkey } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { chaosReport } from '../prove/chaos/chaos-report';
import { nameOf } from '../prove/chaos/contract';
import { proveChaos } from '../prove/chaos/prove-chaos';
import { Site } from '../prove/chaos/site';
import { natsOutageReport, postgresOutageReport } from '../prove/outages/outages-report';
import { proveNatsOutage } from '../prove/outages/prove-nats-outage';
import { provePostgresOutage } from '../prove/outages/prove-postgres-outage';
import { proveRestarts, restartEnvironment } from '../prove/restarts/prove-restarts';
import { restartsReport } from '../prove/restarts/restarts-report';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const silently = () => undefined;
/** Other tests may run beside these, on few cores. */
const patience = 5;
const perSecond = 15;

/** The short forms of `npm run prove -- chaos` and `npm run prove -- outages`. */
describe('the degradation contract', () => {
  const chosen = [
    'postgres frozen',
    'nats full',
    'accounts partitioned',
    'inference-2 killed',
    'edge-2 cut off',
    'valkey frozen',
  ];
  let site: Site;

  beforeAll(async () => (site = await Site.start(silently)), 120_000);
  afterAll(() => site.stop(false));

  it('is kept while one part after the other is disturbed', async () => {
    const proof = await proveChaos(site, {
      chosen: (disturbance) => chosen.includes(nameOf(disturbance)),
      roundsAtMs: [0, 1_000],
      patience,
      onProgress: silently,
    });
    if (!proof.holds) throw new Error(chaosReport(proof, false));
    expect(proof.cells).toBeGreaterThanOrEqual(60);
  }, 400_000);

  it('heals when NATS was killed, and what was under way fails visibly', async () => {
    const outage = await proveNatsOutage(site, { perSecond, kills: 1, awayMs: 2_000, patience, onProgress: silently });
    if (!outage.holds) throw new Error(natsOutageReport(outage));
  }, 200_000);

  it('lets nobody notice that Postgres is stopped, and loses no usage', async () => {
    const outage = await provePostgresOutage(site, { perSecond, awayMs: 10_000, onProgress: silently });
    if (!outage.holds) throw new Error(postgresOutageReport(outage));
  }, 400_000);
});

/** The short form of `npm run prove -- restarts`. */
describe('rolling restarts and scaling', () => {
  let valkey: ValkeyServer;
  let test: TestStack;

  beforeAll(async () => {
    valkey = await startValkey();
    const environment = { VALKEY_URL: valkey.url, ...restartEnvironment };
    test = await startTestStack({ instances: { edge: 2, inference: 2, metering: 2 }, environment });
  }, 120_000);
  afterAll(async () => {
    await test.stop();
    await valkey.stop();
  });

  it('fail no request and cut no stream', async () => {
    const proof = await proveRestarts(test.stack, {
      times: 1,
      names: ['edge', 'inference-2', 'metering', 'accounts', 'catalog'],
      scaled: ['inference-2'],
      perSecond,
      onProgress: silently,
    });
    if (!proof.holds) throw new Error(restartsReport(proof));
    expect(proof.requests).toBeGreaterThan(200);
  }, 400_000);
});
