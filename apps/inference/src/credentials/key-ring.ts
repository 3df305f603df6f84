import { aboutOwnKey } from '@tollgate/contracts/accounts';
import { aboutProviderKey, providerKey, type ProviderDefinition, type SealingKey } from '@tollgate/contracts/catalog';
import { keepOutOfLogs } from '@tollgate/observability';
import { OpeningKey, sealFor } from '@tollgate/sealing';

/** What of a provider a key is sealed for. */
type Sealed = Pick<ProviderDefinition, 'id' | 'baseUrl'>;

/**
 * The key-encryption keys of this instance, the newest first: they open keys of providers that were given
 * without the environment.
 */
export class KeyRing {
  private readonly keys: readonly OpeningKey[];

  /** `secrets`: of the environment, the newest first; none: nothing can be opened. */
  constructor(secrets: readonly string[]) {
    this.keys = secrets.map((secret) => new OpeningKey(secret));
  }

  /** What others seal with, the newest first. */
  get opens(): SealingKey[] {
    return this.keys.map((key) => key.public);
  }

  /**
   * A key as its provider gave it, which no log of this process tells from now on. Null: no key here opens
   * it, it was sealed for another provider, name or address, or what it opens to can be no key.
   */
  open({ id, baseUrl }: Sealed, name: string, sealed: string): string | null {
    const opened = this.opened(sealed, aboutProviderKey(id, name, baseUrl));
    if (opened !== null) keepOutOfLogs([opened]);
    return opened;
  }

  /**
   * A key that an account brought. There may be thousands, so no log looks for each of them: what is written
   * of an attempt has lost its key before. Null: as for `open`.
   */
  openOwn(accountId: string, { id, baseUrl }: Sealed, sealed: string): string | null {
    return this.opened(sealed, aboutOwnKey(accountId, id, baseUrl));
  }

  /** The same key, sealed with the newest. Null: it cannot be opened. */
  reseal(provider: Sealed, name: string, sealed: string): string | null {
    return this.again(this.open(provider, name, sealed), aboutProviderKey(provider.id, name, provider.baseUrl));
  }

  /** The same of a key that an account brought. */
  resealOwn(accountId: string, provider: Sealed, sealed: string): string | null {
    const about = aboutOwnKey(accountId, provider.id, provider.baseUrl);
    return this.again(this.openOwn(accountId, provider, sealed), about);
  }

  private again(opened: string | null, about: string): string | null {
    const [newest] = this.keys;
    return newest && opened !== null ? sealFor(newest.public, opened, about) : null;
  }

  private opened(sealed: string, about: string): string | null {
    const key = this.keys.find((each) => each.fits(sealed));
    try {
      return providerKey.safeParse(key?.open(sealed, about)).data ?? null;
    } catch {
      return null;
    }
  }
}
