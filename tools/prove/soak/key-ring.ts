import { accountsOperations } from '@tollgate/contracts/accounts';
import { ControlClient, connectToNats } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import type { Stack } from '../../stack/stack';

/** Limits of keys, in turn: none, those of requests, those of tokens a minute too. */
const limits = [
  { rpm: null, quotaTokens: null },
  { rpm: 1_000_000, quotaTokens: 1_000_000_000_000 },
  { rpm: 1_000_000, quotaTokens: 1_000_000_000_000, tpm: 1_000_000_000 },
];
const madeAtOnce = 8;
const timeoutMs = 30_000;

/** So many keys that work, of which one after the other is revoked and has another in its place. */
export class KeyRing {
  private readonly keys: { apiKey: string; id: string }[] = [];
  private readonly control: ControlClient;
  private made = 0;

  private constructor(private readonly connection: NatsConnection) {
    this.control = new ControlClient(connection);
  }

  /** Without keys, on a connection of its own. */
  static async open({ natsUrl }: Stack): Promise<KeyRing> {
    return new KeyRing(await connectToNats({ url: natsUrl, name: 'soak' }));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

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

  /** Makes a key, and revokes the one that was made first. Returns the revoked one. */
  async replaceOldest(): Promise<string> {
    if (this.keys.length === 0) return '';
    this.keys.push(await this.make());
    const oldest = this.keys.shift();
    if (!oldest) return '';
    // It may be revoked even where this fails, as where NATS is killed: nobody asks with it any more.
    await this.control.call(accountsOperations.revokeKey, { keyId: oldest.id }, { timeoutMs });
    return oldest.apiKey;
  }

  private async make(): Promise<{ apiKey: string; id: string }> {
    const number = this.made++;
    const own = limits[number % limits.length] ?? {};
    const request = { name: `soak ${number}`, plan: 'enterprise', ...own };
    const { apiKey, key } = await this.control.call(accountsOperations.createKey, request, { timeoutMs });
    return { apiKey, id: key.id };
  }
}
