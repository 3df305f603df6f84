import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * An OpenID provider with one user, who agrees to everything: in a test's own words (`agree`), or in a
 * browser that is sent there.
 */
export class FakeOidcProvider {
  readonly clientId = 'tollgate';
  /** What the next ID tokens say of the user. */
  claims: Record<string, unknown> = {};
  private readonly pending = new Map<string, { nonce: string | null; challenge: string | null }>();
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private count = 0;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  /**
   * `host`: the name of this machine in the provider's address. A browser takes another name than the
   * dashboard's for another site.
   */
  static async start(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<FakeOidcProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new FakeOidcProvider(server, `http://${host}:${(server.address() as AddressInfo).port}`);
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
    const body = await text(request);
    const { issuer } = this;
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/authorize') {
      const callback = url.searchParams.get('redirect_uri') ?? '';
      return void response.writeHead(302, { location: `${callback}?${this.agree(url.href)}` }).end();
    }
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
      '/keys': () => ({
        keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }],
      }),
      '/token': () => this.tokens(new URLSearchParams(body)),
    };
    const answer = answers[url.pathname]?.() ?? null;
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
    return `${content}.${sign('RSA-SHA256', Buffer.from(content), this.keys.privateKey).toString('base64url')}`;
  }
}
