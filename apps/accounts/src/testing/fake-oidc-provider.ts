import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID provider with one user, who agrees to everything. */
export class FakeOidcProvider {
  readonly clientId = 'tollgate';
  /** What the next ID tokens say of the user. */
  claims: Record<string, unknown> = {};
  private readonly pending = new Map<string, { nonce: string | null; challenge: string | null }>();
  private count = 0;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<FakeOidcProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new FakeOidcProvider(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void provider.answer(request, response));
    return provider;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** The user agrees: the query with which the browser is sent back. */
  agree(authorizationUrl: string): string {
    const { searchParams } = new URL(authorizationUrl);
    const code = `code-${++this.count}`;
    this.pending.set(code, { nonce: searchParams.get('nonce'), challenge: searchParams.get('code_challenge') });
    return new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { issuer } = this;
    const answers: Record<string, () => object | null> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] }),
      '/token': () => this.tokens(new URLSearchParams(body)),
    };
    const answer = answers[request.url ?? '']?.() ?? null;
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }));
  }

  private tokens(form: URLSearchParams): object | null {
    const code = form.get('code') ?? '';
    const pending = this.pending.get(code);
    this.pending.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!pending || pending.challenge !== challenge) return null;
    return { access_token: 'access', token_type: 'bearer', expires_in: 60, id_token: this.idToken(pending.nonce) };
  }

  private idToken(nonce: string | null): string {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 60, nonce, ...this.claims };
    const content = `${encode({ alg: 'RS256', kid: 'k' })}.${encode(payload)}`;
    return `${content}.${sign('RSA-SHA256', Buffer.from(content), privateKey).toString('base64url')}`;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
