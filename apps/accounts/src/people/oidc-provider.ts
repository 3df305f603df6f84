import { Injectable, Logger } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Configuration } from 'openid-client';
import { AccountsSettings } from '../settings';

/** The browser waits: each question to the provider may take this long, seconds. */
const timeoutS = 3;

/** What must come back as it went out, and proves that the answer is to our question. */
export interface OidcChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Who somebody is, in the words of the provider. `email` null: it did not tell one that it verified. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  /** By their names; none where groups lead to no roles. */
  groups: readonly string[];
}

/**
 * The OpenID provider that the operator set up; openid-client speaks with it (authorization code flow with
 * PKCE, state and nonce).
 */
@Injectable()
export class OidcProvider {
  private readonly logger = new Logger('oidc');
  private discovered: Promise<Configuration> | undefined;

  constructor(private readonly settings: AccountsSettings) {}

  /**
   * Where to send the browser, and what to keep of the question.
   * @throws ControlError `not_found` (none is set up), `unavailable` (it does not answer).
   */
  async begin(): Promise<{ url: string; checks: OidcChecks }> {
    const client = await import('openid-client');
    const configuration = await this.configuration();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.callbackUrl,
      scope: this.settings.people.oidc?.scopes ?? 'openid',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, checks };
  }

  /**
   * Who came back with this query.
   * @throws ControlError `forbidden` when the provider's answer proves nothing, `not_found`, `unavailable`.
   */
  async finish(query: string, { state, nonce, codeVerifier }: OidcChecks): Promise<OidcIdentity> {
    const client = await import('openid-client');
    const configuration = await this.configuration();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${this.callbackUrl}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('the answer has no ID token');
      const told =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: isVerified(told) && typeof told['email'] === 'string' ? told['email'] : null,
        name: typeof told['name'] === 'string' ? told['name'] : null,
        groups: this.groupsOf({ ...told, ...claims }),
      };
    } catch (error) {
      this.logger.warn(`a sign-in was refused: ${String(error)}`);
      throw new ControlError('forbidden', 'The provider did not confirm who you are; try again.');
    }
  }

  /** One group alone may be told as a text. */
  private groupsOf(told: Readonly<Record<string, unknown>>): string[] {
    const { groups } = this.settings.people.oidc ?? {};
    const value = groups ? told[groups.claim] : null;
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
  }

  private get callbackUrl(): string {
    return `${this.settings.people.publicUrl}/api/auth/oidc/callback`;
  }

  /** Asked for once; again after a failure. */
  private async configuration(): Promise<Configuration> {
    const discovered = (this.discovered ??= this.discover());
    try {
      return await discovered;
    } catch (error) {
      this.discovered = undefined;
      if (error instanceof ControlError) throw error;
      this.logger.warn(`the provider cannot be asked: ${String(error)}`);
      throw new ControlError('unavailable', 'The OpenID provider does not answer.');
    }
  }

  private async discover(): Promise<Configuration> {
    const { oidc } = this.settings.people;
    if (!oidc) throw new ControlError('not_found', 'No OpenID provider is set up.');
    const { discovery, allowInsecureRequests } = await import('openid-client');
    const issuer = new URL(oidc.issuer);
    // Settings take a plain address for this very machine only.
    const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
    return discovery(issuer, oidc.clientId, oidc.clientSecret, undefined, { execute, timeout: timeoutS });
  }
}

/**
 * Whether a provider vouches for the address that it tells. Entra never says `email_verified`, and says in
 * `xms_edov`, where its application is set to, that the address is of a domain whose owner it knows.
 * https://learn.microsoft.com/en-us/entra/identity-platform/migrate-off-email-claim-authorization
 */
function isVerified({ email_verified: verified, xms_edov: ofItsDomain }: Readonly<Record<string, unknown>>): boolean {
  return ['true', '1'].includes(String(verified ?? ofItsDomain));
}
