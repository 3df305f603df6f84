import { Injectable } from '@nestjs/common';
import { reportOperations } from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import { pageOfKeys } from '../keys/key-rows';
import type { StoredKey } from '../keys/stored-key';
import { expiringKeyMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { addressesOf } from '../people/person-rows';
import { AccountsSettings } from '../settings';
import { Storage, type AccountsQueries } from '../storage';
import { namedFew } from './named-few';
import { areAlertsSent, type Alert } from './tell-alert';
import { tellEachOnce, tellOnce } from './told-alerts';

const everyMs = 600_000;
const dayMs = 86_400_000;
/** As the dashboard's first page has it. */
const endsWithinMs = 14 * dayMs;
const unusedDays = 90;
const unusedForMs = unusedDays * dayMs;
const pageSize = 500;
/** Looking for the last request of many keys may take its time. */
const usageTimeoutMs = 30_000;
/** Of unused keys; a transaction of more would take too long. */
const toldAtOnce = 1_000;

/**
 * Tells the owners of keys, and webhooks, once that a key ends within two weeks; and webhooks, once in 90
 * days, that a key was not used for so long. A key that was rotated, or made for two weeks or less, ends as
 * was asked for, and is not told.
 */
@Injectable()
export class KeyAlerts {
  private lookedForUnusedAt = -Infinity;

  constructor(
    private readonly storage: Storage,
    private readonly outbox: Outbox,
    private readonly control: ControlClient,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    const failure = 'nobody could be told of keys that end or are not used; trying again shortly';
    work.add({ name: 'alerts of keys', everyMs, run: () => this.tell(Date.now()), failure });
  }

  /** For unused keys it looks once a day: that asks for the last request of each. */
  private async tell(now: number): Promise<void> {
    await this.tellOfEnding(now);
    if (now - this.lookedForUnusedAt < dayMs) return;
    await this.tellOfUnused(now);
    this.lookedForUnusedAt = now;
  }

  /** Tells what is not told yet at `now` (epoch milliseconds). @throws ControlError `unavailable`. */
  async tellOfEnding(now: number): Promise<void> {
    for await (const keys of this.pages(now + endsWithinMs)) {
      const rotated = await this.storage.read((queries) => rotatedOf(queries, keys));
      for (const key of keys) if (!rotated.has(key.id) && wasMadeToLast(key)) await this.tellEnding(key);
    }
  }

  /**
   * As `tellOfEnding`; `unavailable` also while metering is away. People are told of all in one: there may be
   * hundreds on the first day.
   */
  async tellOfUnused(now: number): Promise<void> {
    if (!(await this.storage.read(areAlertsSent))) return;
    const alerts = new Map<string, Alert>();
    for await (const keys of this.pages(undefined))
      for (const [name, alert] of await this.unusedOf(keys.filter(mayBeUsed(now)), now)) alerts.set(name, alert);
    const forgetAt = new Date(now + unusedForMs);
    const gathered = (fresh: readonly Alert[]): Alert => this.allUnused(fresh);
    const all = [...alerts];
    for (let from = 0; from < all.length; from += toldAtOnce) {
      const some = new Map(all.slice(from, from + toldAtOnce));
      await this.storage.transaction((queries) => tellEachOnce(queries, some, forgetAt, gathered));
    }
  }

  /** `endsBy` undefined: all keys. */
  private async *pages(endsBy: number | undefined): AsyncGenerator<StoredKey[]> {
    let after: string | undefined;
    do {
      const wish = { limit: pageSize, after };
      const page = await this.storage.read((queries) => pageOfKeys(queries, { endsBy }, wish));
      yield page.items;
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  private async tellEnding(key: StoredKey): Promise<void> {
    const { id, name, display, accountId, expiresAt } = key;
    if (!expiresAt) return;
    const ends = expiresAt.toISOString();
    const alert = {
      kind: 'key.expiring',
      text: `The key ${name} (${display}) of ${key.account.name} ends at ${ends}.`,
      advice: 'From then on it is refused with 401: let it last longer, or see that its owner makes another one.',
      link: this.linkTo(id),
      data: { key_id: id, name, display, account_id: accountId, expires_at: ends },
    } as const;
    await this.storage.transaction(async (queries) => {
      const forgetAt = new Date(expiresAt.getTime() + dayMs);
      if (!(await tellOnce(queries, `key.expiring ${id} ${expiresAt.getTime()}`, alert, forgetAt))) return;
      const where = `${this.settings.people.publicUrl}/keys`;
      for (const person of await addressesOf(queries, accountId))
        await this.outbox.add(queries, person.email, expiringKeyMail(person.name, key, expiresAt, where));
    });
  }

  private linkTo(keyId: string): string {
    return `${this.settings.people.publicUrl}/admin/keys/${keyId}`;
  }

  /** The alert of each that was not used, by the name under which it is told. */
  private async unusedOf(keys: readonly StoredKey[], now: number): Promise<[string, Alert][]> {
    if (keys.length === 0) return [];
    const asked = { keyIds: keys.map(({ id }) => id) };
    const { lastUsedAt } = await this.control.call(reportOperations.usedTokens, asked, { timeoutMs: usageTimeoutMs });
    return keys.flatMap(({ id, name, display, accountId, account }) => {
      const used = lastUsedAt[id] ?? null;
      if (used !== null && used > now - unusedForMs) return [];
      const since = used === null ? null : new Date(used).toISOString();
      const alert: Alert = {
        kind: 'key.unused',
        text: `The key ${name} (${display}) of ${account.name} was not used for ${unusedDays} days.`,
        advice: 'Revoke it, unless somebody still needs it.',
        link: this.linkTo(id),
        data: { key_id: id, name, display, account_id: accountId, last_used_at: since },
      };
      return [[`key.unused ${id}`, alert]];
    });
  }

  /** What people are told of several, with the first few by name. */
  private allUnused(alerts: readonly Alert[]): Alert {
    const names = namedFew(alerts.map(({ data }) => `${data['name']} (${data['display']})`));
    return {
      kind: 'key.unused',
      text: `${alerts.length} keys were not used for ${unusedDays} days: ${names}.`,
      advice: 'Revoke those that nobody needs any more.',
      link: `${this.settings.people.publicUrl}/admin/keys?show=asleep`,
      data: {},
    };
  }
}

function wasMadeToLast({ createdAt, expiresAt }: StoredKey): boolean {
  return expiresAt !== null && expiresAt.getTime() - createdAt.getTime() > endsWithinMs;
}

/** Keys that work, and are old enough to have been used or not. */
function mayBeUsed(now: number): (key: StoredKey) => boolean {
  return ({ status, account, createdAt, expiresAt }) =>
    status === 'active' &&
    account.status === 'active' &&
    createdAt.getTime() <= now - unusedForMs &&
    (expiresAt === null || expiresAt.getTime() > now);
}

async function rotatedOf({ accountAudit }: AccountsQueries, keys: readonly StoredKey[]): Promise<Set<string>> {
  const where = {
    action: 'key-rotated',
    accountId: { in: keys.map(({ accountId }) => accountId) },
    keyId: { in: keys.map(({ id }) => id) },
  };
  const lines = await accountAudit.findMany({ where, select: { keyId: true } });
  return new Set(lines.flatMap(({ keyId }) => keyId ?? []));
}
