import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { googleTokenFetch } from './google-tokens';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = JSON.stringify({
  type: 'service_account',
  project_id: 'project',
  private_key_id: 'key',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'gateway@project.iam.gserviceaccount.com',
  client_id: '1',
});

describe('a token of Google', () => {
  let server: Server;
  const asked: { url: string; body: URLSearchParams }[] = [];
  let answer = { status: 200, body: '{"access_token":"token","expires_in":3600,"token_type":"Bearer"}' };

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        asked.push({ url: request.url ?? '', body: new URLSearchParams(body) });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => void (asked.length = 0));

  /** The library knows one token server; here its requests go to ours. */
  const toOurs: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { port } = server.address() as AddressInfo;
    return fetch(`http://127.0.0.1:${port}${url.pathname}`, init);
  };

  it('is fetched with a signed assertion of the service account, for the scope of Vertex AI', async () => {
    const token = await googleTokenFetch(account, toOurs)();
    expect(token.value).toBe('token');
    expect(token.expiresAtMs / 1_000).toBeCloseTo(Date.now() / 1_000 + 3_600, -2);
    expect(asked.map(({ url }) => url)).toEqual(['/token']);
    const [, claims = ''] = (asked[0]?.body.get('assertion') ?? '').split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'gateway@project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
  });

  it('that is refused is a failure', async () => {
    answer = { status: 400, body: '{"error":"invalid_grant"}' };
    await expect(googleTokenFetch(account, toOurs)()).rejects.toThrow('invalid_grant');
  });

  it('cannot be had with JSON that is none, or that holds no credentials', async () => {
    await expect(googleTokenFetch('{', toOurs)()).rejects.toThrow();
    await expect(googleTokenFetch('{"type":"service_account"}', toOurs)()).rejects.toThrow();
  });
});
