import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { ownKeyOf, type PooledKey } from '../upstream/provider-endpoint';
import type { KeyRing } from './key-ring';

/** About 0.6 KB each, and 0.1 ms to open one. */
const mostOpened = 10_000;

/**
 * Opens keys that accounts brought, which come sealed with their requests, and remembers those of late: what
 * is replaced comes as another text, so that nothing remembered is ever out of date.
 */
export class OwnKeys {
  /** By what was opened, and about what; the one that was used the longest ago first. */
  private readonly opened = new Map<string, PooledKey>();

  constructor(
    private readonly ring: Pick<KeyRing, 'openOwn'>,
    private readonly most = mostOpened,
  ) {}

  /** Null: it cannot be opened here, or was sealed for another account, provider or address. */
  open(accountId: string, provider: ProviderDefinition, sealed: string): PooledKey | null {
    const name = [accountId, provider.id, provider.baseUrl, provider.authentication, sealed].join(' ');
    const known = this.opened.get(name) ?? this.openNow(accountId, provider, sealed);
    if (!known) return null;
    this.opened.delete(name);
    this.opened.set(name, known);
    const [oldest] = this.opened.keys();
    if (this.opened.size > this.most && oldest !== undefined) this.opened.delete(oldest);
    return known;
  }

  private openNow(accountId: string, provider: ProviderDefinition, sealed: string): PooledKey | null {
    const key = this.ring.openOwn(accountId, provider, sealed);
    return key === null ? null : ownKeyOf(provider, key);
  }
}
