import { accountsOperations } from '@tollgate/contracts';
import type { Stack } from '../../stack/stack';

/** Limits of keys, in turn: none, those of requests, those of tokens a minute too. */
const limits = [
  { rpm: null, quotaTokens: null },
  { rpm: 1_000_000, quotaTokens: 1_000_000_000_000 },
  { rpm: 1_000_000, quotaTokens: 1_000_000_000_000, tpm: 1_000_000_000 },
];
const madeAtOnce = 8;

/** So many keys that work, of which one after the other is revoked and has another in its place. */
export class KeyRing {
  private readonly keys: { apiKey: string; id: string }[] = [];
  private made = 0;

  constructor(private readonly stack: Stack) {}

  /** Makes them. */
  async fill(size: number): Promise<void> {
    const lane = async (): Promise<void> => {
      while (this.made < size) this.keys.push(await this.make());
    };
    await Promise.all(Array.from({ length: madeAtOnce }, lane));
  }

  /** A key that works; the same for the same number until it is replaced. */
  key(number: number): string {
    return this.keys[number % this.keys.length]?.apiKey ?? '';
  }

  /** Revokes the key that was made first, and makes one. Returns the revoked one. */
  async replaceOldest(): Promise<string> {
    const [oldest] = this.keys;
    this.keys.push(await this.make());
    this.keys.shift();
    if (!oldest) return '';
    await this.stack.call(accountsOperations.revokeKey, { keyId: oldest.id });
    return oldest.apiKey;
  }

  private async make(): Promise<{ apiKey: string; id: string }> {
    const number = this.made++;
    const own = limits[number % limits.length] ?? {};
    const { apiKey, key } = await this.stack.createKey({ name: `soak ${number}`, plan: 'enterprise', ...own });
    return { apiKey, id: key.id };
  }
}
