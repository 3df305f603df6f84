import { GoogleAuth } from 'google-auth-library';
import { z } from 'zod';
import type { RequestAuthorizer } from './request-authorizer';

/** An access token. `expiresAtMs` is epoch milliseconds. */
export interface AccessToken {
  value: string;
  expiresAtMs: number;
}

/** Fetches a new token. @throws Error when there is none to be had. */
export type TokenFetch = () => Promise<AccessToken>;

/**
 * From here on a new token is fetched while the old one still serves. Google's library takes a token for
 * expiring a minute earlier, so that it does fetch.
 */
const renewBeforeMs = 4 * 60_000;
/** A token this close to its end may be refused by the time it arrives. */
const lastUseBeforeMs = 30_000;

/**
 * Google's access tokens: fetched once for all requests, renewed before they expire, kept in use while a
 * renewal fails and they are still good.
 */
export class GoogleTokens implements RequestAuthorizer {
  private token: AccessToken | null = null;
  private pending: Promise<AccessToken> | null = null;

  constructor(
    private readonly fetchToken: TokenFetch,
    private readonly nowMs: () => number = Date.now,
  ) {}

  authorize(): Record<string, string> | Promise<Record<string, string>> {
    const leftMs = this.token ? this.token.expiresAtMs - this.nowMs() : 0;
    if (this.token && leftMs > lastUseBeforeMs) {
      // A renewal that fails is tried again with the next request; the token at hand is still good.
      if (leftMs < renewBeforeMs) this.renewed().catch(() => undefined);
      return bearer(this.token);
    }
    return this.renewed().then(bearer);
  }

  /** Requests that come together wait for one token. */
  private renewed(): Promise<AccessToken> {
    this.pending ??= this.fetchToken()
      .then((token) => (this.token = token))
      .finally(() => (this.pending = null));
    return this.pending;
  }
}

const credentialsJson = z.looseObject({ type: z.string() });

/**
 * Fetches tokens with Google credentials of any kind: a service account's key, a federated identity, a
 * user's.
 * `fetchImplementation` stands in for the global one.
 * https://cloud.google.com/docs/authentication/application-default-credentials
 */
export function googleTokenFetch(json: string, fetchImplementation?: typeof fetch): TokenFetch {
  return async () => {
    const auth = new GoogleAuth({
      credentials: credentialsJson.parse(JSON.parse(json)),
      scopes: 'https://www.googleapis.com/auth/cloud-platform',
      clientOptions: {
        transporterOptions: { timeout: 10_000, ...(fetchImplementation ? { fetchImplementation } : {}) },
      },
    });
    const client = await auth.getClient();
    const { token } = await client.getAccessToken();
    const { expiry_date: expiresAtMs } = client.credentials;
    if (!token || !expiresAtMs) throw new Error('Google answered without an access token');
    return { value: token, expiresAtMs };
  };
}

function bearer({ value }: AccessToken): Record<string, string> {
  return { authorization: `Bearer ${value}` };
}
