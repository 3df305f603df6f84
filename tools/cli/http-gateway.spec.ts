import { accountsOperations, administrationOperations, adminTokenOperations } from '@tollgate/contracts';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from './failure';
import { httpGateway, remoteGateway } from './http-gateway';

interface Asked {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}
const asked: Asked[] = [];
let answer: { status: number; body: unknown };
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    response.writeHead(answer.status, { location: '/elsewhere' }).end(JSON.stringify(answer.body));
  });
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  asked.length = 0;
  answer = { status: 200, body: { data: [], has_more: false, next: 'last' } };
});
const gateway = () => httpGateway({ url, token: 'tg_adm_x' });

describe('the gateway of the environment', () => {
  it('is none, or a whole one', () => {
    expect(remoteGateway({ TOLLGATE_URL: '' })).toBeNull();
    const https = { TOLLGATE_URL: 'https://gateway.example/base/', TOLLGATE_TOKEN: 't' };
    expect(remoteGateway(https)).toEqual({ url: 'https://gateway.example/base', token: 't' });
    expect(remoteGateway({ TOLLGATE_URL: 'http://127.0.0.1:8080', TOLLGATE_TOKEN: 't' })).toMatchObject({ token: 't' });
  });

  it.each([
    [{ TOLLGATE_URL: 'https://gateway.example' }, /TOLLGATE_TOKEN/],
    [{ TOLLGATE_TOKEN: 't' }, /TOLLGATE_URL/],
    [{ TOLLGATE_URL: 'gateway.example', TOLLGATE_TOKEN: 't' }, /no address/],
    [{ TOLLGATE_URL: 'http://gateway.example', TOLLGATE_TOKEN: 't' }, /https/],
  ])('is refused where a token must not go: %j', (environment, message) => {
    expect(() => remoteGateway(environment)).toThrow(message);
  });
});

describe('what is asked over HTTP', () => {
  it('is a route of the admin API, whose page is the reply of the operation', async () => {
    const reply = await gateway().call(accountsOperations.listKeys, { accountId: 'a b', limit: 5, after: undefined });
    expect(reply).toEqual({ keys: [], next: 'last' });
    expect(asked).toMatchObject([
      { line: 'GET /api/admin/v1/keys?accountId=a+b&limit=5', headers: { authorization: 'Bearer tg_adm_x' } },
    ]);
  });

  it('is written once, whatever becomes of the first try, by nobody but the token', async () => {
    answer = { status: 400, body: { error: { message: 'rpm: no' } } };
    const wish = { keyId: 'a/b', rpm: null, plan: undefined, actor: 'cli:ada' };
    const refused = gateway().call(accountsOperations.updateKey, wish);
    await expect(refused).rejects.toThrow(new Refusal('rpm: no'));
    expect(asked).toMatchObject([{ line: 'PATCH /api/admin/v1/keys/a%2Fb', body: '{"rpm":null}' }]);
    expect(asked[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is nothing that has no route, and no note of an act, which the gateway makes itself', async () => {
    const token = gateway().call(adminTokenOperations.list, {});
    await expect(token).rejects.toThrow(/not in the admin API/);
    await expect(gateway().instances(1)).rejects.toThrow(/without TOLLGATE_URL/);
    const act = { actor: 'x', action: 'x', detail: {} };
    expect(await gateway().call(administrationOperations.recordAct, act)).toEqual({});
    expect(asked).toEqual([]);
  });

  it('goes nowhere else, and says whether it is worth to ask again', async () => {
    answer = { status: 302, body: {} };
    const list = () => gateway().call(accountsOperations.listKeys, {});
    await expect(list()).rejects.toMatchObject({ exitCode: 3 });
    expect(asked).toHaveLength(1);
    answer = { status: 503, body: { error: { message: 'later' } } };
    await expect(list()).rejects.toMatchObject({ code: 'unavailable', message: 'later' });
    answer = { status: 200, body: {} };
    await expect(list()).rejects.toThrow();
  });
});
