import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@tollgate/database';
import type { Database, Queries } from '@tollgate/database';
import type { PriceSheet } from '@tollgate/contracts/catalog';
import { DATABASE } from '../settings';
import { pricesInForce, readImportedPrices } from './imported-price';
import type { ImportedPrices, PriceOrigins } from './imported-price';
import { priceChanges } from './price-changes';
import { pricedBySetting, readStandingPrices } from './set-prices';
import { sheetAt, type PriceSchedule } from './sheet-at';

/**
 * Any number that nothing else in this database locks. Whoever changes prices holds it until the transaction
 * ends.
 */
const priceLock = 7_401_655_929;

/**
 * The history of prices in Postgres. A row is never changed, but for the end of its interval; one that was
 * written ahead of its time may be withdrawn.
 */
@Injectable()
export class PriceLedger {
  constructor(@Inject(DATABASE) private readonly database: Database<'catalog'>) {}

  /**
   * Makes the table agree with the prices that came into force at `at` (epoch milliseconds), those that were
   * imported among them, in one transaction. Any number of instances may do so at once: the first one writes,
   * the others find nothing to change. Returns how many rows were ended and added.
   */
  async record(origins: PriceOrigins, at: number): Promise<{ ended: number; begun: number }> {
    return this.locked(async (transaction) => {
      return apply(transaction, await this.schedules(origins, transaction), at);
    });
  }

  /**
   * Takes imported sheets into force at `at`, if `choose` says so when it sees the prices that are in force,
   * with nobody changing them meanwhile, and keeps that those of `confirm` say what is in force. The result
   * of `choose` is returned; empty lists write nothing.
   */
  async import<Choice extends { take: Sheets; confirm: Sheets }>(
    origins: PriceOrigins,
    source: string,
    at: number,
    choose: (inForce: ReadonlyMap<string, PriceSheet>, isSet: (model: string) => boolean) => Choice,
  ): Promise<Choice> {
    return this.locked(async (transaction) => {
      const imported = await readImportedPrices(transaction);
      const standing = await readStandingPrices(transaction);
      const inForce = pricesInForce(origins, imported, standing).flatMap((each) => {
        const sheet = sheetAt(each, at);
        return sheet ? [[each.model, sheet] as const] : [];
      });
      const set = new Set(pricedBySetting(standing, at));
      const choice = choose(new Map(inForce), (model) => set.has(model) && !origins.operatorPriced.has(model));
      const kept = [
        ...choice.take.map((each) => ({ ...each, confirms: false })),
        // What an import says already stays an import.
        ...choice.confirm.map((each) => ({ ...each, confirms: imported.get(each.model)?.confirms !== false })),
      ];
      if (kept.length > 0) await keepImported(transaction, kept, source, at);
      if (choice.take.length > 0)
        await apply(transaction, pricesInForce(origins, joined(imported, kept, source, at), standing), at);
      return choice;
    });
  }

  /**
   * Runs `change` with nobody changing prices meanwhile, and makes the rows of this model agree with what it
   * has changed, if anything (`isChanged`). Others may follow a file that this instance has yet to read.
   * `change` is told the instant, epoch milliseconds.
   */
  change<Result>(
    origins: PriceOrigins,
    model: string,
    change: (queries: Queries<'catalog'>, at: number) => Promise<{ isChanged: boolean; result: Result }>,
  ): Promise<Result> {
    return this.locked(async (transaction) => {
      // Whoever waited for the lock is not to write what began meanwhile.
      const at = Date.now();
      const { isChanged, result } = await change(transaction, at);
      if (!isChanged) return result;
      const schedules = await this.schedules(origins, transaction);
      const ofModel = schedules.filter((one) => one.model === model);
      await apply(transaction, ofModel, at, model);
      return result;
    });
  }

  /** What models cost and will, as the database says now. Nothing is written. */
  async schedules(origins: PriceOrigins, queries: Queries<'catalog'> = this.database): Promise<PriceSchedule[]> {
    const imported = await readImportedPrices(queries);
    return pricesInForce(origins, imported, await readStandingPrices(queries));
  }

  /** Runs `work` with nobody changing prices meanwhile. */
  locked<Result>(work: (transaction: Queries<'catalog'>) => Promise<Result>): Promise<Result> {
    return this.database.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${priceLock}::bigint)`;
      // Without this word the database keeps rows of models whose price was set (keep_set_prices).
      await transaction.$executeRaw`SELECT set_config('tollgate.knows_set_prices', 'on', true)`;
      return work(transaction);
    });
  }
}

type Sheets = readonly { model: string; prices: PriceSheet }[];

type KeptSheets = readonly (Sheets[number] & { confirms: boolean })[];

function joined(imported: ImportedPrices, sheets: KeptSheets, source: string, at: number): ImportedPrices {
  const importedAt = new Date(at);
  const kept = sheets.map(({ model, ...sheet }) => [model, { ...sheet, source, importedAt }] as const);
  return new Map([...imported, ...kept]);
}

async function keepImported(
  transaction: Queries<'catalog'>,
  sheets: KeptSheets,
  source: string,
  at: number,
): Promise<void> {
  await transaction.importedPrice.deleteMany({ where: { model: { in: sheets.map(({ model }) => model) } } });
  await transaction.importedPrice.createMany({
    data: sheets.map(({ model, prices, confirms }) => {
      return { model, prices: { ...prices, ...(confirms && { confirms }) }, source, importedAt: new Date(at) };
    }),
  });
}

/** `model`: only the rows of this one; absent: all. */
async function apply(
  transaction: Queries<'catalog'>,
  priced: readonly PriceSchedule[],
  at: number,
  model?: string,
): Promise<{ ended: number; begun: number }> {
  const ofModel = model === undefined ? {} : { model };
  const newest = await transaction.price.findMany({
    where: ofModel,
    distinct: ['model'],
    orderBy: [{ model: 'asc' }, { validFrom: 'desc' }],
  });
  const ahead = await transaction.price.findMany({ where: { ...ofModel, validTo: { gt: new Date(at) } } });
  const rows = new Map([...newest, ...ahead].map((row) => [row.id, row]));
  const { ended, withdrawn, begun } = priceChanges([...rows.values()], priced, at, Date.now());
  await endRows(transaction, ended);
  if (withdrawn.length) await transaction.price.deleteMany({ where: { id: { in: withdrawn } } });
  if (begun.length) await transaction.price.createMany({ data: begun });
  return { ended: ended.length, begun: begun.length };
}

/** In one statement: an import may end hundreds of rows. */
async function endRows(transaction: Queries<'catalog'>, ended: { id: string; validTo: Date | null }[]): Promise<void> {
  if (ended.length === 0) return;
  const rows = ended.map(({ id, validTo }) => Prisma.sql`(${id}::uuid, ${validTo}::timestamptz)`);
  await transaction.$executeRaw`
    UPDATE price SET valid_to = change.valid_to
    FROM (VALUES ${Prisma.join(rows)}) AS change (id, valid_to) WHERE price.id = change.id`;
}
