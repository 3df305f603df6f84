import { Inject, Injectable } from '@nestjs/common';
import { ControlError, type ServedBy } from '@tollgate/contracts';
import { clockBoundMs, priceSheet, type SetPrice, type setPriceOperations } from '@tollgate/contracts/catalog';
import { isUuid, Prisma, type Database, type Queries } from '@tollgate/database';
import { isDeepStrictEqual } from 'node:util';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { DATABASE } from '../settings';
import { pricesInForce, readImportedPrices, type PriceOrigins } from './imported-price';
import { firstPriceLeadMs } from './price-changes';
import { PriceLedger } from './price-ledger';
import { rateChanges } from './rate-changes';
import { asTold, instant, requireTime, requireWithdrawable } from './set-from';
import { readStandingPrices, withOneMore, type StandingPrices } from './set-prices';
import { priceAt, sheetAt, type PriceSchedule } from './sheet-at';

type Served = ServedBy<typeof setPriceOperations>;
type SetPriceRow = NonNullable<Awaited<ReturnType<Queries<'catalog'>['setPrice']['findUnique']>>>;

/** What is to be set, checked: its instant, and what it changes then. `already`: it was set before, just so. */
type Plan = Pick<Served['set']['reply'], 'from' | 'changes'> & { already: SetPrice | null };

/** Sets prices from an instant on, and takes those back that have not begun. What was charged stays. */
@Injectable()
export class PriceSetting {
  constructor(
    @Inject(DATABASE) private readonly database: Database<'catalog'>,
    private readonly ledger: PriceLedger,
    private readonly file: ConfigurationFile,
    private readonly catalog: LiveCatalog,
  ) {}

  /** @throws ControlError `invalid`, `conflict`; nothing was changed then. */
  async set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    const { model, prices, reason, dryRun, by } = asked;
    const origins = this.file.catalog;
    if (origins.operatorPriced.has(model))
      throw new ControlError('invalid', `The price of ${model} stands in tollgate.yaml: change it there.`);
    const isKnown = this.catalog.kindOf(model) !== null;
    if (dryRun) {
      const { already, ...plan } = await this.planned(asked, this.database, Date.now());
      return { applied: false, setPrice: already, isKnown, ...plan };
    }
    const outcome = await this.ledger.change(origins, model, async (queries, at) => {
      const { already, ...plan } = await this.planned(asked, queries, at);
      if (already) return { isChanged: false, result: { applied: false, setPrice: already, ...plan } };
      const row = await queries.setPrice.create({
        data: {
          ...{ model, prices: prices ?? Prisma.DbNull, validFrom: new Date(plan.from) },
          ...{ setAt: new Date(at), setBy: by, reason: reason ?? null },
        },
      });
      return { isChanged: true, result: { applied: true, setPrice: toSetPrice(row), ...plan } };
    });
    await this.catalog.look();
    return { isKnown, ...outcome };
  }

  /** @throws ControlError `not_found`, `conflict`. */
  async withdraw({ id, by }: Served['withdraw']['request']): Promise<Served['withdraw']['reply']> {
    const found = isUuid(id) ? await this.database.setPrice.findUnique({ where: { id } }) : null;
    if (!found) throw new ControlError('not_found', 'There is no such price.');
    const setPrice = await this.ledger.change(this.file.catalog, found.model, async (queries, at) => {
      const row = await queries.setPrice.findUniqueOrThrow({ where: { id } });
      requireWithdrawable('price', row, at);
      const data = { withdrawnAt: new Date(at), withdrawnBy: by };
      return { isChanged: true, result: toSetPrice(await queries.setPrice.update({ where: { id }, data })) };
    });
    await this.catalog.look();
    return { setPrice };
  }

  /** @throws ControlError `invalid`, `conflict`. */
  private async planned(asked: Served['set']['request'], queries: Queries<'catalog'>, at: number): Promise<Plan> {
    const { model, prices, from: wished } = asked;
    const imported = await readImportedPrices(queries);
    const standing = await readStandingPrices(queries);
    const [before] = pricesInForce(only(this.file.catalog, model), imported, onlyOf(standing, model));
    const from = wished ?? (await soonest(queries, model, before, at));
    const told = await queries.setPrice.findFirst({
      where: { model, validFrom: { lte: new Date(from) }, withdrawnAt: null },
      orderBy: { validFrom: 'desc' },
    });
    const already = told && toSetPrice(told);
    const isMeant = already && (already.from === from || wished === undefined);
    if (isMeant && isDeepStrictEqual(already.prices, prices)) return { from: already.from, changes: [], already };
    if (already?.from === from)
      throw new ControlError('conflict', `A price of ${model} begins at ${instant(from)} already. Take it back first.`);
    requireTime('price', wished, at);
    if (prices === null && !(before && priceAt(before, from).isSet))
      throw new ControlError('invalid', `No price of ${model} is set that would hold at ${instant(from)}.`);
    const more = withOneMore(onlyOf(standing, model), { model, prices, from });
    const [after] = pricesInForce(only(this.file.catalog, model), imported, more);
    const changes = rateChanges(model, before ? sheetAt(before, from) : null, after ? sheetAt(after, from) : null);
    return { from, changes, already: null };
  }
}

/** A catalog of this model alone. */
function only({ models, priced, operatorPriced }: PriceOrigins, model: string): PriceOrigins {
  return {
    models: models.filter(({ id }) => id === model),
    priced: priced.filter((each) => each.model === model),
    operatorPriced,
  };
}

function onlyOf(standing: StandingPrices, model: string): StandingPrices {
  const prices = standing.get(model);
  return new Map(prices && [[model, prices]]);
}

/**
 * The instant of a price that names none. Where no price is known, none can be charged that is not meant: the
 * first one holds from a day ago, as the first one of the file does, and one after a gap from now on. Any
 * other leaves as much time to take it back as it has to leave to the clocks.
 */
async function soonest(
  { price }: Pick<Queries<'catalog'>, 'price'>,
  model: string,
  one: PriceSchedule | undefined,
  at: number,
): Promise<number> {
  const last = await price.findFirst({ where: { model }, orderBy: { validFrom: 'desc' } });
  if (!last) return at - firstPriceLeadMs;
  const isUnpriced = (!one || sheetAt(one, at) === null) && last.validTo !== null && last.validTo.getTime() <= at;
  return isUnpriced ? at : at + 2 * clockBoundMs;
}

/** As it is told. */
export function toSetPrice({ prices, ...row }: SetPriceRow): SetPrice {
  return { ...asTold(row), prices: prices === null ? null : priceSheet.parse(prices) };
}
