import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { createLogger } from '@tollgate/observability';
import { startScriptedUpstream, type ScriptedUpstream, type UpstreamVisit } from '@tollgate/testing';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { ModelDiscovery } from './model-discovery';

let server: ScriptedUpstream;
let list: object[] | null;
let changes: number;
let logs: string[];

let nowMs: number;

const everyMinute = { match: ['*'], prefix: 'acme/', serve: 'at-once', onlyNew: false, everyS: 60 } as const;

function discoveryOf(key: string | null = null, ...changed: Partial<ProviderDefinition>[]): ModelDiscovery {
  const endpoints = (changed.length > 0 ? changed : [{}]).map((each) => endpointOf(key, each));
  const logger = createLogger('test', 'info', { write: (line) => void logs.push(line) });
  return new ModelDiscovery(
    () => endpoints,
    logger,
    () => nowMs,
  );
}

function endpointOf(key: string | null, changed: Partial<ProviderDefinition>) {
  const discover = { ...everyMinute, match: ['*'] };
  const provider = aProvider({ baseUrl: `${server.url}/v1`, discover, operatorDefined: true, ...changed });
  const [first, ...more] = key?.split(',') ?? [];
  const credential = first === undefined ? ({ kind: 'none' } as const) : ({ kind: 'key', key: first, more } as const);
  return providerEndpoint(provider, provider.baseUrl, credential);
}

beforeEach(async () => {
  [list, changes, logs, nowMs] = [[{ id: 'one', object: 'model' }], 0, [], 0];
  server = await startScriptedUpstream(({ response, headers }: UpstreamVisit) => {
    if (headers.authorization === 'Bearer revoked') return void response.writeHead(401).end('no such key');
    if (!list) return void response.writeHead(503).end('loading');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data: list }));
  });
});
afterEach(() => server.stop());

it("reads a server's own list with its key, and the window where it tells it", async () => {
  list = [
    { id: 'vllm', max_model_len: 8192 },
    { id: 'llama', meta: { n_ctx: 4096, n_ctx_train: 131072 } },
    { id: 'ollama', object: 'model' },
  ];
  const discovery = discoveryOf('secret');
  await discovery.look();
  expect(discovery.listed).toEqual({
    acme: [
      { name: 'llama', contextWindow: 4096 },
      { name: 'ollama', contextWindow: null },
      { name: 'vllm', contextWindow: 8192 },
    ],
  });
  expect([server.visits[0]?.path, server.visits[0]?.headers.authorization]).toEqual(['/v1/models', 'Bearer secret']);
});

it('reads it with the next of several keys while one is refused', async () => {
  const discovery = discoveryOf('revoked,good,never-asked');
  await discovery.look();
  expect(discovery.listed).toEqual({ acme: [{ name: 'one', contextWindow: null }] });
  expect(server.visits.map(({ headers }) => headers.authorization)).toEqual(['Bearer revoked', 'Bearer good']);
});

it('reads no more of a list than can be told to all, and says how much it left out', async () => {
  list = Array.from({ length: 2_002 }, (_, index) => ({ id: `model-${index}` }));
  const discovery = discoveryOf();
  await discovery.look();
  expect(discovery.listed.acme).toHaveLength(2_000);
  expect(logs.join('')).toContain('"leftOut":2');
});

it('reads no more of all own servers together, whichever answers first, and leaves providers of the release theirs', async () => {
  list = Array.from({ length: 2_000 }, (_, index) => ({ id: `model-${index}` }));
  const discovery = discoveryOf(
    null,
    { id: 'one' },
    { id: 'two' },
    { id: 'three' },
    { id: 'cloud', operatorDefined: false },
  );
  for (let look = 0; look < 2; look++) {
    await discovery.look();
    const { cloud, ...own } = discovery.listed;
    expect(Object.values(own).reduce((sum, models) => sum + models.length, 0)).toBe(3_000);
    expect(cloud).toHaveLength(2_000);
  }
});

it('tells what came and what went', async () => {
  const discovery = discoveryOf();
  await discovery.look();
  discovery.onChange(() => (changes += 1));
  list = [{ id: 'two' }];
  await discovery.look();
  expect(discovery.listed).toEqual({ acme: [{ name: 'two', contextWindow: null }] });
  expect(changes).toBe(1);
  expect(logs.at(-1)).toMatch(/"came":\["two"\],"went":\["one"\]/);
});

it('keeps the models of a server that is started again, and drops those of one that stays away', async () => {
  const discovery = discoveryOf();
  await discovery.look();
  list = null;
  await discovery.look();
  await discovery.look();
  expect(discovery.listed.acme).toHaveLength(1);
  await discovery.look();
  expect(discovery.listed).toEqual({ acme: [] });
});

it('asks Cohere in the version of its API that has the list', async () => {
  const discovery = discoveryOf('secret', { dialect: 'cohere', baseUrl: `${server.url}/v2` });
  await discovery.look();
  expect(server.visits.map(({ path }) => path)).toEqual(['/v1/models?page_size=1000']);
});

it('asks a provider in the cloud daily and on demand, and ever less often while it gives no list, whose models stay', async () => {
  const discover = { ...everyMinute, match: ['*'], everyS: 86_400 };
  const discovery = discoveryOf(null, { operatorDefined: false, discover, dialect: 'anthropic-messages' });
  await discovery.look();
  await discovery.look();
  expect(server.visits.map(({ path }) => path)).toEqual(['/v1/models?limit=1000']);
  expect(server.visits[0]?.headers['anthropic-version']).toBe('2023-06-01');
  list = [{ id: 'two', created_at: '2026-11-20T00:00:00Z' }];
  expect(await discovery.lookNow('acme')).toEqual([{ provider: 'acme', models: 1, came: ['two'], went: ['one'] }]);
  const createdAt = Date.parse('2026-11-20') / 1_000;
  expect(discovery.listed).toEqual({ acme: [{ name: 'two', contextWindow: null, createdAt }] });
  list = null;
  nowMs = 86_400_000;
  // Asked again after a minute, then after twice as long each time.
  for (const waitedMs of [0, 59_999, 1, 120_000, 240_000]) {
    nowMs += waitedMs;
    await discovery.look();
  }
  expect(server.visits).toHaveLength(6);
  expect(discovery.listed.acme).toHaveLength(1);
  await expect(discovery.lookNow('nobody')).rejects.toMatchObject({ code: 'not_found' });
});
