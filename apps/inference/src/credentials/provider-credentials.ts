import { existsSync, readFileSync } from 'node:fs';
import type { ProviderDefinition } from '@tollgate/contracts';

/** How to reach providers: their keys, or the simulated ones. Holds secrets: never log one. */
export interface CredentialSet {
  /** True when the simulated providers answer instead of the real ones. */
  readonly sandbox: boolean;
  /** Provider id → key; null for a provider that needs none. A provider that is missing here cannot be used. */
  readonly keys: ReadonlyMap<string, string | null>;
}

/** Reads provider keys from the environment, by the names that the catalog gives. */
export class ProviderCredentials {
  constructor(
    private readonly mode: 'auto' | 'on' | 'off',
    private readonly sandboxKnown: boolean,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Reads anew, so that a secret file that was replaced takes effect. */
  read(providers: readonly ProviderDefinition[]): CredentialSet {
    const keys = new Map<string, string | null>();
    for (const provider of providers) {
      const key = this.keyOf(provider);
      if (key !== undefined) keys.set(provider.id, key);
    }
    const anyKey = [...keys.values()].some((key) => key !== null);
    if (!this.simulate(anyKey)) return { sandbox: false, keys };
    return { sandbox: true, keys: new Map(providers.map(({ id }) => [id, null])) };
  }

  private simulate(anyKey: boolean): boolean {
    if (!this.sandboxKnown || this.mode === 'off') return false;
    return this.mode === 'on' || !anyKey;
  }

  /** Undefined: none is set. For a name `X`, `X_FILE` may name a file that holds the key. */
  private keyOf(provider: ProviderDefinition): string | null | undefined {
    if (provider.apiKeyEnv.length === 0) return null;
    for (const name of provider.apiKeyEnv) {
      const file = this.environment[`${name}_FILE`];
      const key = file && existsSync(file) ? readFileSync(file, 'utf8').trim() : this.environment[name]?.trim();
      if (key) return key;
    }
    return undefined;
  }
}

/** True when both serve the same providers in the same way. */
export function sameCredentials(a: CredentialSet, b: CredentialSet): boolean {
  return (
    a.sandbox === b.sandbox && a.keys.size === b.keys.size && [...a.keys].every(([id, key]) => b.keys.get(id) === key)
  );
}
