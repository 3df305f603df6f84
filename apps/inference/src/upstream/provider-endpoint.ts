import type { ProviderDefinition } from '@tollgate/contracts';

/** Where a provider's requests go, and with which credential. Never log one: `apiKey` is a secret. */
export interface ProviderEndpoint {
  readonly provider: ProviderDefinition;
  /** Scheme, host and port: the only place this key is ever sent to. */
  readonly origin: string;
  /** The path of the base URL without its last slash. */
  readonly basePath: string;
  /** Null: the provider needs none. */
  readonly apiKey: string | null;
}

/** The endpoint of a provider at `baseUrl`: its own, or that of its simulation. */
export function providerEndpoint(
  provider: ProviderDefinition,
  baseUrl: string,
  apiKey: string | null,
): ProviderEndpoint {
  const url = new URL(baseUrl);
  return { provider, origin: url.origin, basePath: url.pathname.replace(/\/+$/, ''), apiKey };
}
