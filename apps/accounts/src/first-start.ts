import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { accountOfEmail, normalEmail, operatorAccount } from './accounts/account-rows';
import { Changes, type Change } from './keys/changes';
import { insertKey, isStored } from './keys/key-rows';
import { makeFirstAdministrator } from './people/first-administrator';
import { Passwords } from './people/passwords';
import { hasAdministrator } from './people/person-rows';
import { AccountsSettings, type InitialSettings } from './settings';
import { Storage } from './storage';

const retryMs = 1_000;
/** Who the audit log says it was. */
const actor = 'environment';

/**
 * Makes what the environment names (TOLLGATE_INIT_*) before anything is served: an administrator while there
 * is none, and a key that was never stored. Whatever is there already stays as it is, however often it
 * starts: another password, a revoked key. What cannot be made is logged, and keeps nothing from starting.
 */
@Injectable()
export class FirstStart implements OnApplicationBootstrap, OnModuleDestroy {
  private isStopping = false;

  constructor(
    private readonly settings: AccountsSettings,
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly passwords: Passwords,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { administrator, key } = this.settings.initial;
    if (administrator) await this.attempt('administrator', () => this.makeAdministrator(administrator));
    if (key) await this.attempt('key', () => this.makeKey(key));
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Waits for Postgres until the service stops. */
  private async attempt(what: string, make: () => Promise<boolean>): Promise<void> {
    while (!this.isStopping) {
      try {
        if (await make()) this.logger.info({ what }, 'made what the environment names');
        return;
      } catch (err) {
        if (!(err instanceof ControlError)) throw err;
        if (err.code !== 'unavailable') {
          this.logger.error({ err, what }, 'what the environment names (TOLLGATE_INIT_*) could not be made');
          return;
        }
        this.logger.warn({ err, what }, 'Postgres cannot be used yet; trying again');
        await delay(retryMs);
      }
    }
  }

  /** False: there is one already. */
  private async makeAdministrator(wanted: NonNullable<InitialSettings['administrator']>): Promise<boolean> {
    if (await this.storage.read(hasAdministrator)) return false;
    const { name, account, password } = wanted;
    const email = normalEmail(wanted.email);
    const passwordHash = await this.passwords.hash(password, email);
    const person = { email, name, passwordHash, account: account ?? name };
    return (await this.changes.commit((change) => makeFirstAdministrator(change, person))) !== null;
  }

  /** False: it was stored already. */
  private makeKey({ apiKey, name, plan }: NonNullable<InitialSettings['key']>): Promise<boolean> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      if (plan !== null) plans.requireKnown(plan);
      const accountId = await this.accountOfKey(change);
      if (await isStored(transaction, this.settings, { apiKey, accountId, name })) return false;
      const { id: keyId } = await insertKey(transaction, this.settings, { accountId, name, plan }, apiKey);
      await change.touchKeys([keyId]);
      await change.audit({ actor, action: 'key-created', accountId, keyId, detail: { name, plan } });
      return true;
    });
  }

  /** That of the administrator whom the environment names, else the operator's own. */
  private async accountOfKey(change: Change): Promise<string> {
    const { administrator } = this.settings.initial;
    const named = administrator && (await accountOfEmail(change.transaction, normalEmail(administrator.email)));
    return (named ?? (await operatorAccount(change, actor))).id;
  }
}
