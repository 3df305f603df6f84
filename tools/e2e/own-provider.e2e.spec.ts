import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PortAllocator } from '../stack/ports';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-config-'));
let test: TestStack;
let apiKey: string;

const post = (model: string) =>
  fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });

beforeAll(async () => {
  const sandboxPort = await new PortAllocator().next();
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(
    config,
    `
providers:
  - id: homemade
    name: Homemade
    dialect: openai-chat
    baseUrl: http://127.0.0.1:${sandboxPort}/openai-chat
    apiKeyEnv: HOMEMADE_API_KEY
models:
  - id: homemade/tiny
    provider: homemade
    upstreamModel: tiny-1
    prices: { input: '1', output: '2' }
    aliases: [tiny]
`,
  );
  test = await startTestStack({
    sandboxPort,
    environment: { TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config, HOMEMADE_API_KEY: 'homemade-secret' },
  });
  apiKey = (await test.stack.createKey({ name: 'own provider', plan: 'pro' })).apiKey;
});
afterAll(async () => {
  await test.stop();
  rmSync(folder, { recursive: true });
});

it('brings the models of a provider from tollgate.yaml live as soon as its key is set, under their aliases too', async () => {
  for (const name of ['homemade/tiny', 'tiny']) {
    const response = await post(name);
    expect([response.status, response.headers.get('x-gateway-provider')]).toEqual([200, 'homemade']);
    expect(response.headers.get('x-gateway-sandbox')).toBeNull();
  }
  const [row] = await test.provider.ledger();
  expect(row?.model).toBe('tiny-1');
});

it('offers no model of a provider without a key', async () => {
  const response = await fetch(`${test.stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { data } = (await response.json()) as { data: { id: string; owned_by: string }[] };
  expect(data.map(({ id }) => id)).toEqual(['homemade/tiny']);
});
