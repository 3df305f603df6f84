import { missingParts } from '@tollgate/observability';
import { Service } from '@tollgate/service';
import { startValkey } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { LimitStores } from './admission/choose-limit-stores';
import { ValkeyRateLimitStore } from './admission/valkey/valkey-rate-limit-store';
import { edge } from './edge.module';
import { Readiness } from './http/health.controller';
import { EdgeServer } from './http/edge-server';
import { Settings } from './settings';
import { EdgeRig, eventually, question } from './testing/edge-rig';

let valkey: ValkeyServer;
let rig: EdgeRig;
let second: Service<Settings>;
beforeAll(async () => {
  valkey = await startValkey();
  rig = await EdgeRig.start({ VALKEY_URL: valkey.url });
  const { pepper } = rig.service.get(Settings);
  const secrets = { NATS_URL: rig.nats.url, TOLLGATE_KEY_PEPPER: pepper, VALKEY_URL: valkey.url };
  const ports = { PORT: '0', INTERNAL_PORT: '0', EDGE_STOP_GRACE_S: '0', EDGE_DRAIN_S: '1', LOG_LEVEL: 'error' };
  second = new Service(edge, new Settings({ ...secrets, ...ports }));
  await second.start();
  await eventually(async () => (await missingParts(second.get(Readiness).checks)).length === 0);
  await eventually(() => areShared(2));
});
afterAll(async () => {
  await second.stop();
  await rig.stop();
  await valkey.stop();
});

const stores = () => [rig.service, second].map((service) => service.get(LimitStores).requests);
const areShared = (edges: number) =>
  stores().every((store) => store instanceof ValkeyRateLimitStore && store.isShared && store.edges === edges);

/** Asks the first edge, or the second. */
function ask(at: number, apiKey: string, maxTokens: number): Promise<Response> {
  const port = at === 0 ? rig.port : second.get(EdgeServer).port;
  return fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...question, max_tokens: maxTokens }),
  });
}

it('two edges hold the tokens a minute of a key together, and give back what was not used', async () => {
  const apiKey = rig.accounts.create({ tpm: 3_000 });
  const letGo = rig.inference.hold();
  let refused = 0;
  const before = rig.inference.calls.length;
  const answers = Array.from({ length: 8 }, async (_, index) => {
    const answer = await ask(index % 2, apiKey, 1_000);
    if (answer.status === 429) refused++;
    return answer;
  });
  await eventually(() => rig.inference.calls.length - before + refused === 8).finally(letGo);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  // Two answers used 30 tokens each: either edge has room for one that is nearly as large as the limit.
  await eventually(async () => (await ask(0, apiKey, 2_800)).status === 200);
  await eventually(async () => (await ask(1, apiKey, 2_700)).status === 200);
});

it('they hold the requests and tokens of a model together, too', async () => {
  const modelLimits = [{ model: 'openai/*', rpm: 3, tpm: null }];
  const apiKey = rig.accounts.create({ modelLimits });
  const statuses = [];
  for (let request = 0; request < 5; request++) statuses.push((await ask(request % 2, apiKey, 10)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

it('without Valkey each goes on within its share, and both count it again when that is back', async () => {
  const apiKey = rig.accounts.create({ tpm: 4_000 });
  await valkey.kill();
  await eventually(() => stores().every((store) => store instanceof ValkeyRateLimitStore && !store.isShared));
  const alone = await Promise.all([0, 0, 1, 1].map((at) => ask(at, apiKey, 1_000)));
  expect(alone.map(({ status }) => status)).toContain(200);
  await Promise.all(alone.map((answer) => answer.text()));
  // Half of it is the most that one edge may let in: until they count together again, waiting would not help.
  const large = await ask(0, apiKey, 2_500);
  expect([large.status, large.headers.get('retry-after')]).toEqual([503, '5']);
  await valkey.start();
  await eventually(() => areShared(2), 10_000);
  await eventually(async () => (await ask(0, apiKey, 2_500)).status === 200);
});
