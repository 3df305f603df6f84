import { startValkey } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { chaosReport } from '../prove/chaos/chaos-report';
import { proveChaos } from '../prove/chaos/prove-chaos';
import { Site } from '../prove/chaos/site';
import { proveRestarts, restartEnvironment, restartInstances } from '../prove/restarts/prove-restarts';
import { restartsReport } from '../prove/restarts/restarts-report';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const silently = () => undefined;
/** Other tests may run beside these, on few cores. */
const patience = 4;

/** The short form of `npm run prove:chaos`: one disturbance of each part that has a row of its own in the contract. */
describe('the degradation contract', () => {
  const chosen = [
    'postgres frozen',
    'nats killed',
    'accounts frozen',
    'metering killed',
    'inference-2 frozen',
    'edge-2 killed',
    'valkey frozen',
    'catalog killed',
  ];
  let site: Site;

  beforeAll(async () => (site = await Site.start(silently)));
  afterAll(() => site.stop(false));

  it('is kept while parts are killed and frozen', async () => {
    const proof = await proveChaos(site, {
      chosen: ({ part, harm }) => chosen.includes(`${part} ${harm}`),
      roundsAtMs: [0, 1_000],
      patience,
      onProgress: silently,
    });
    if (!proof.holds) throw new Error(chaosReport(proof, false));
    expect(proof.cells).toBeGreaterThanOrEqual(60);
  }, 300_000);
});

/** The short form of `npm run prove:restarts`. */
describe('rolling restarts and scaling', () => {
  let valkey: ValkeyServer;
  let test: TestStack;

  beforeAll(async () => {
    valkey = await startValkey();
    const environment = { VALKEY_URL: valkey.url, ...restartEnvironment };
    test = await startTestStack({ instances: restartInstances, environment });
  });
  afterAll(async () => {
    await test.stop();
    await valkey.stop();
  });

  it('fail no request and cut no stream', async () => {
    const proof = await proveRestarts(test.stack, { times: 1, perSecond: 30, onProgress: silently });
    if (!proof.holds) throw new Error(restartsReport(proof));
    expect(proof.requests).toBeGreaterThan(500);
  }, 300_000);
});
