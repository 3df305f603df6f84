import { createHash } from 'node:crypto';
import type { Authentication, ProviderDefinition } from '@tollgate/contracts';
import { SealedElsewhere, sealerOf } from '@tollgate/dialects';
import type { Credential } from '../credentials/credential';
import type { RequestAuthorizer } from './request-authorizer';

/**
 * One of the keys of a provider that has several. Never log one. `number`: 1 for the first that was given, 0
 * for one that an account brought; `account`: a name for it, of all but the first (see UpstreamTarget).
 */
export interface PooledKey {
  readonly number: number;
  readonly account?: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a provider's requests go, and with which credential. Never log one: it holds secrets. */
export interface ProviderEndpoint {
  readonly provider: ProviderDefinition;
  /** True when the sandbox answers here. */
  readonly simulated: boolean;
  /** Scheme, host and port: the only place this credential is ever sent to. */
  readonly origin: string;
  /** The path of the base URL without its last slash. */
  readonly basePath: string;
  /** Null: the provider needs none, or has another kind of credential. */
  readonly apiKey: string | null;
  /**
   * The headers that carry the key, the same for every request; at a simulated provider that which names the
   * provider it stands for.
   */
  readonly keyHeaders: Readonly<Record<string, string>>;
  /** All keys, where there are several; `apiKey` is the first, unless one was chosen (`withKey`). */
  readonly pool: readonly PooledKey[];
  /** True: connections are made to addresses of the internet alone. */
  readonly internetOnly: boolean;
  /** Null: `keyHeaders` are all it takes. */
  readonly authorizer: RequestAuthorizer | null;
  /** True: it is asked with a key that the caller's account brought. */
  readonly isOwnKey: boolean;
}

/** The endpoint of a provider at `baseUrl`: its own, or that of its simulation. */
export function providerEndpoint(
  provider: ProviderDefinition,
  baseUrl: string,
  credential: Credential,
  authorizer: RequestAuthorizer | null = null,
  simulated = false,
  internetOnly = provider.isLive && !simulated,
): ProviderEndpoint {
  const url = new URL(baseUrl);
  const apiKey = credential.kind === 'key' ? credential.key : null;
  return {
    provider,
    simulated,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    apiKey,
    keyHeaders: simulated
      ? { 'x-simulated-provider': provider.id }
      : apiKey === null
        ? {}
        : keyHeaders(provider.authentication, apiKey),
    pool: simulated ? [] : poolOf(provider.authentication, credential),
    internetOnly,
    authorizer,
    isOwnKey: false,
  };
}

/** The same place, asked with this one of its keys. */
export function withKey(endpoint: ProviderEndpoint, { apiKey, headers }: PooledKey): ProviderEndpoint {
  return { ...endpoint, apiKey, keyHeaders: headers };
}

/** The same place, asked with this key of the caller's account alone, and nothing of the operator's. */
export function withOwnKey(endpoint: ProviderEndpoint, key: PooledKey): ProviderEndpoint {
  return { ...withKey(endpoint, key), pool: [key], authorizer: null, isOwnKey: true };
}

/** A key that an account brought: what is sealed with it is sealed for another account than the operator's. */
export function ownKeyOf({ authentication }: Pick<ProviderDefinition, 'authentication'>, apiKey: string): PooledKey {
  return { number: 0, account: accountOf(apiKey), apiKey, headers: keyHeaders(authentication, apiKey) };
}

/** Empty: there is one key, or none. */
function poolOf(authentication: Authentication, credential: Credential): PooledKey[] {
  if (credential.kind !== 'key' || !credential.more) return [];
  return [credential.key, ...credential.more].map((apiKey, index) => ({
    number: index + 1,
    ...(index > 0 && { account: accountOf(apiKey) }),
    apiKey,
    headers: keyHeaders(authentication, apiKey),
  }));
}

function accountOf(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex').slice(0, 8);
}

/** What a server has beside its API: the same place without the `/v1` of its base URL. */
export function besideV1(endpoint: ProviderEndpoint): ProviderEndpoint {
  return { ...endpoint, basePath: endpoint.basePath.replace(/\/v1$/, '') };
}

function keyHeaders(authentication: Authentication, key: string): Record<string, string> {
  switch (authentication) {
    case 'x-api-key':
    case 'x-goog-api-key':
    case 'api-key':
      return { [authentication]: key };
    // Bedrock takes its API keys as bearer tokens:
    // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
    case 'aws':
    case 'bearer':
    case 'google':
      return { authorization: `Bearer ${key}` };
  }
}

/**
 * What `make` makes for this key; where the conversation was compacted with another one of the provider's,
 * which alone can read it, for that one. `refused`: keys that are not asked any more.
 * @throws what `make` throws.
 */
export function withReadingKey<Made>(
  { provider, pool }: ProviderEndpoint,
  key: PooledKey | null,
  refused: ReadonlySet<PooledKey>,
  make: (key: PooledKey | null) => Made,
): Made {
  try {
    return make(key);
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    const reading = pool.find((each) => !refused.has(each) && sealerOf({ provider, ...each }) === error.sealer);
    if (!reading) throw error;
    return make(reading);
  }
}
