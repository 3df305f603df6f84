import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { ProviderCheck } from '@tollgate/contracts/inference';
import { answerJson, freePort, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { checkProvider } from './provider-check';

let server: ScriptedUpstream;

beforeAll(async () => {
  server = await startScriptedUpstream((visit) => {
    const answer = (status: number, body: object): void => answerJson(visit, status, JSON.stringify(body));
    if (visit.headers.authorization === 'Bearer wrong')
      return answer(401, { error: { message: 'no such key: wrong' } });
    if (visit.path === '/v1/models')
      return answer(200, { object: 'list', data: [{ id: 'qwen3-8b' }, { id: 'llama3.2' }, { id: 'gemma3:latest' }] });
    if (visit.path !== '/v1/chat/completions') return answer(404, { detail: 'Not Found' });
    return visit.body.includes('qwen') ? answer(500, { error: { message: 'out of memory' } }) : answer(200, {});
  });
});
afterAll(() => server.stop());

function check(baseUrl: string, models: string[] = [], key: string | null = null): Promise<ProviderCheck> {
  const provider = aProvider({ id: 'home', baseUrl, apiKeyEnv: key === null ? [] : ['HOME_KEY'] });
  const credential = key === null ? ({ kind: 'none' } as const) : ({ kind: 'key', key } as const);
  return checkProvider({ endpoint: providerEndpoint(provider, baseUrl, credential), models, token: true });
}

it('says what a good provider lists, and that a model of it gave a token', async () => {
  expect(await check(`${server.url}/v1`, ['llama3.2'])).toEqual({
    provider: 'home',
    url: `${server.url}/v1`,
    ok: true,
    says: 'lists 3 models; llama3.2 gave a token',
  });
  const { body } = server.visits.at(-1) ?? {};
  expect(JSON.parse(String(body))).toMatchObject({ model: 'llama3.2', max_tokens: 1 });
});

it('asks for no token where none is wanted, so that it costs nothing', async () => {
  const provider = aProvider({ id: 'home', baseUrl: `${server.url}/v1`, apiKeyEnv: [] });
  const endpoint = providerEndpoint(provider, `${server.url}/v1`, { kind: 'none' });
  const before = server.visits.length;
  const found = await checkProvider({ endpoint, models: ['llama3.2'], token: false });
  expect(found).toMatchObject({ ok: true, says: 'lists 3 models' });
  expect(server.visits.slice(before).map(({ path }) => path)).toEqual(['/v1/models']);
});

it('asks with each of several keys, and says which is wrong', async () => {
  const provider = aProvider({ id: 'home', baseUrl: `${server.url}/v1`, apiKeyEnv: ['HOME_KEY'] });
  const withKeys = (more: string[]) => {
    const credential = { kind: 'key', key: 'good', more } as const;
    return checkProvider({
      endpoint: providerEndpoint(provider, `${server.url}/v1`, credential),
      models: ['llama3.2'],
      token: true,
    });
  };
  const says = 'lists 3 models; llama3.2 gave a token';
  expect(await withKeys(['better'])).toMatchObject({ ok: true, says: `${says}, with each of 2 keys` });
  const one = await withKeys(['wrong', 'better']);
  expect(one).toMatchObject({ provider: 'home', ok: false });
  expect(one.says).toContain(
    `key 1: ${says}; key 2: GET ${server.url}/v1/models answered 401: no such key: [redacted]`,
  );
  expect(one.says).toContain(`key 3: ${says}`);
});

it('knows a name without its tag, as the server does', async () => {
  const says = 'lists 3 models; gemma3 gave a token';
  expect(await check(`${server.url}/v1`, ['gemma3'])).toMatchObject({ ok: true, says });
});

it.each<[string, () => Promise<ProviderCheck>, RegExp]>([
  [
    'a wrong name, with the valid ones',
    () => check(`${server.url}/v1`, ['lama3.2']),
    /no model lama3\.2; did you mean llama3\.2\? It has: gemma3:latest, llama3\.2, qwen3-8b/,
  ],
  [
    'a wrong name that is like none of the valid ones',
    () => check(`${server.url}/v1`, ['other']),
    /it has no model other\. It has: gemma3:latest, llama3\.2, qwen3-8b/,
  ],
  [
    'a model that gives no token, in the words of the server',
    () => check(`${server.url}/v1`, ['qwen3-8b']),
    /lists 3 models, but qwen3-8b gave no token: POST .*\/chat\/completions answered 500: out of memory$/,
  ],
  [
    'a base URL without /v1',
    () => check(server.url),
    /GET .*\/models answered 404.*; its base URL is http:\/\/[^ ]+\/v1$/,
  ],
  ['https where http is spoken', () => check(`${server.url.replace('http', 'https')}/v1`), /it speaks http, not https/],
  ['a host of no name', () => check('http://no-such-host.invalid/v1'), /no host has this name|cannot be looked up/],
  [
    'a wrong key, without telling it',
    () => check(`${server.url}/v1`, [], 'wrong'),
    /answered 401: no such key: \[redacted\]; its key is that of HOME_KEY/,
  ],
])('says what is wrong: %s', async (_, ask, says) => {
  expect(await ask()).toMatchObject({ ok: false, says: expect.stringMatching(says) });
});

it('says that a server which waits for more at an https address may speak http', async () => {
  const asked: Socket[] = [];
  const silent = createServer((socket) => asked.push(socket.resume()));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const { says } = await check(`https://127.0.0.1:${port}/v1`);
  silent.close();
  // Node's fetch goes on with its greeting for ten seconds after nobody waits for it any more.
  for (const socket of asked) socket.destroy();
  expect(says).toMatch(/it does not answer in time .*; does it speak http instead of https\?$/);
});

it('says that nobody listens', async () => {
  const port = await freePort();
  expect((await check(`http://127.0.0.1:${port}/v1`)).says).toBe(
    `GET http://127.0.0.1:${port}/v1/models: nobody listens there (ECONNREFUSED)`,
  );
});
