import { Injectable } from '@nestjs/common';
import { catalogOperations, endsSoon, type CatalogModel } from '@tollgate/contracts/catalog';
import { reportOperations } from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import { usableKeys } from '../keys/key-rows';
import type { StoredKey } from '../keys/stored-key';
import { addressesOf } from '../people/person-rows';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { retirementMail } from './mail-texts';
import { Outbox } from './outbox';

const dayMs = 86_400_000;
/** How often it is seen to that a day has passed. */
const everyMs = 600_000;
/** Who did not use a model for so long does not use it. */
const usedWithinMs = 30 * dayMs;
/** The hours of all keys may take their time. */
const usersTimeoutMs = 60_000;

/** A model that ends on a known day. */
interface Ending {
  model: CatalogModel;
  date: string;
}

/** A key, and the models that it used lately. */
interface Use {
  key: StoredKey;
  models: string[];
}

/**
 * Writes to the owners of keys that use a model which ends soon, once for each account, model and day,
 * whichever instance is first. Where metering or the catalog does not answer, nobody is told yet.
 */
@Injectable()
export class RetirementNotices {
  private toldAt = -Infinity;

  constructor(
    private readonly storage: Storage,
    private readonly outbox: Outbox,
    private readonly control: ControlClient,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    const failure = 'owners of keys could not be told which models end; trying again shortly';
    work.add({ name: 'notices of models that end', everyMs, run: () => this.tellDaily(), failure });
  }

  private async tellDaily(): Promise<void> {
    const now = Date.now();
    if (now - this.toldAt < dayMs) return;
    await this.tell(now);
    this.toldAt = now;
  }

  /** Writes what is not written yet at `now` (epoch milliseconds). @throws ControlError `unavailable`. */
  async tell(now: number): Promise<void> {
    // Where nobody is there, a later turn asks.
    const { models } = await this.control.call(catalogOperations.snapshot, {}, { absentMs: 0 });
    const endings = models.flatMap((model): Ending[] => {
      const date = model.retirement?.date;
      return date != null && endsSoon(model.retirement, now) ? [{ model, date }] : [];
    });
    if (endings.length === 0) return;
    const uses = await this.usesOf(
      endings.map(({ model }) => model.id),
      now,
    );
    for (const [accountId, used] of uses)
      for (const ending of endings) {
        const using = used.filter((use) => use.models.includes(ending.model.id)).map(({ key }) => key);
        if (using.length > 0) await this.write(accountId, ending, using);
      }
  }

  /** The keys that can be used and used one of these models lately, by the account that owns them. */
  private async usesOf(models: string[], now: number): Promise<Map<string, Use[]>> {
    const uses = new Map<string, Use[]>();
    const question = { models, since: now - usedWithinMs };
    let after: string | undefined;
    do {
      const asked = { ...question, after };
      const page = await this.control.call(reportOperations.usersOf, asked, { timeoutMs: usersTimeoutMs });
      const used = new Map(page.users.map((user) => [user.keyId, user.models]));
      for (const key of await this.storage.read((queries) => usableKeys(queries, [...used.keys()], now))) {
        const ofAccount = uses.get(key.accountId) ?? [];
        uses.set(key.accountId, [...ofAccount, { key, models: used.get(key.id) ?? [] }]);
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
    return uses;
  }

  private write(accountId: string, { model, date }: Ending, keys: readonly StoredKey[]): Promise<void> {
    return this.storage.transaction(async (queries) => {
      const notice = { accountId, model: model.id, endsOn: new Date(date) };
      const { count } = await queries.retirementNotice.createMany({ data: [notice], skipDuplicates: true });
      if (count === 0) return;
      const where = `${this.settings.people.publicUrl}/models`;
      for (const { name, email } of await addressesOf(queries, accountId))
        await this.outbox.add(queries, email, retirementMail(name, model, date, keys, where));
    });
  }
}
