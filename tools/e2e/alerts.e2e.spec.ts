import { webhookOperations } from '@tollgate/contracts/accounts';
import { meteringOperations, reportOperations } from '@tollgate/contracts/metering';
import { answerJson, eventually, goodChat, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-alerts-'));
const revoked = 'key-that-was-revoked';
let house: ScriptedUpstream;
let receiver: ScriptedUpstream;
let test: TestStack;

beforeAll(async () => {
  receiver = await startScriptedUpstream(({ response }) => void response.writeHead(204).end());
  house = await startScriptedUpstream((visit) =>
    visit.headers.authorization === `Bearer ${revoked}`
      ? answerJson(visit, 401, '{"error":{"message":"Incorrect API key provided"}}')
      : goodChat()(visit),
  );
  const configFile = join(folder, 'tollgate.yaml');
  writeFileSync(
    configFile,
    `
providers:
  - { id: house, dialect: openai-chat, baseUrl: '${house.url}/v1', apiKeyEnv: HOUSE_API_KEY }
models:
  - { id: house/small, provider: house, prices: { input: 1, output: 2 } }
`,
  );
  const environment = {
    ...{ TOLLGATE_CONFIG: configFile, HOUSE_API_KEY: `${revoked}, key-that-works` },
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
  };
  test = await startTestStack({ environment });
});
afterAll(async () => {
  await test?.stop();
  await house?.stop();
  await receiver?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('every caller is served while one of two keys is revoked, a webhook is told of it, and the export has what was used', async () => {
  await test.stack.call(webhookOperations.create, { name: 'ops', url: `${receiver.url}/hook` });
  const keys = await Promise.all(
    Array.from({ length: 24 }, (_, index) => test.stack.createKey({ name: `caller ${index}`, tags: ['team=search'] })),
  );
  const ask = ({ apiKey }: { apiKey: string }) =>
    fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'house/small', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  // Each caller has a key of its own: some of so many that of which the provider knows nothing any more.
  for (let turn = 0; turn < 2; turn++) for (const key of keys) expect((await ask(key)).status).toBe(200);
  const asked = house.visits.map(({ headers }) => headers.authorization);
  expect(asked.filter((key) => key === `Bearer ${revoked}`).length).toBeGreaterThan(0);
  expect(asked).toContain('Bearer key-that-works');
  const told = () =>
    receiver.visits.map(({ body }) => JSON.parse(body.toString()) as { type: string; data: Record<string, unknown> });
  await eventually(
    () => Promise.resolve(told()),
    (all) => all.some(({ type }) => type === 'provider.key_refused'),
    30_000,
  );
  expect(told().find(({ type }) => type === 'provider.key_refused')?.data).toMatchObject({
    ...{ provider: 'house', key: 1, status: 401 },
  });
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { days } = await eventually(
    () => test.stack.call(reportOperations.days, { from: yesterday, to: today }),
    (answer) => answer.days.reduce((sum, { requests }) => sum + requests, 0) === 48,
    10_000,
  );
  expect(days.every(({ model, provider }) => model === 'house/small' && provider === 'house')).toBe(true);
  const [first] = keys;
  const tagged = () =>
    test.stack.call(meteringOperations.metrics, {
      ...{ keyId: first?.key.id ?? '', period: 'hour', slice: { dimension: 'tag', name: 'team=search' } },
    });
  await eventually(tagged, ({ totals }) => totals.requests === 2);
});
