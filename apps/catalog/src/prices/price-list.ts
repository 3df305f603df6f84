import { Inject, Injectable } from '@nestjs/common';
import type { PriceSheet, setPriceOperations, ToldPrice } from '@tollgate/contracts/catalog';
import type { Database } from '@tollgate/database';
import type { z } from 'zod';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { DATABASE } from '../settings';
import { readImportedPrices } from './imported-price';
import { PriceLedger } from './price-ledger';
import { priceAt, unknownPrice, type PriceSchedule } from './sheet-at';

type List = typeof setPriceOperations.list;

/** What models cost, and who says so. */
@Injectable()
export class PriceList {
  constructor(
    @Inject(DATABASE) private readonly database: Database<'catalog'>,
    private readonly ledger: PriceLedger,
    private readonly file: ConfigurationFile,
  ) {}

  /** Without `model` those alone of which an operator says something. */
  async list({ model }: z.output<List['request']>, now = Date.now()): Promise<z.output<List['reply']>> {
    const { catalog } = this.file;
    const { operatorPriced } = catalog;
    const imported = await readImportedPrices(this.database);
    const schedules = new Map((await this.ledger.schedules(catalog)).map((one) => [one.model, one]));
    const toldOf = (id: string): ToldPrice => {
      const one = schedules.get(id) ?? unknownPrice(id);
      const { prices, source, isSet } = priceAt(one, now);
      const isImport = imported.get(id)?.confirms === false;
      const said = operatorPriced.has(id) ? 'file' : isSet ? 'settings' : isImport ? 'import' : 'release';
      return { model: id, origin: said, source, prices, next: nextOf(one, now) };
    };
    const ids = new Set([...schedules.keys(), ...operatorPriced, ...catalog.models.map(({ id }) => id)]);
    const prices = [...ids]
      .filter((id) => model === undefined || id === model)
      .map(toldOf)
      .map(inShort(model));
    const isSaid = ({ origin, next }: ToldPrice) => origin !== 'release' || next.some(({ isSet }) => isSet);
    return {
      prices: prices
        .filter((each) => model !== undefined || isSaid(each))
        .toSorted((a, b) => (a.model < b.model ? -1 : 1)),
    };
  }
}

/** All of them would be too much for a message with their terms. */
const inShort =
  (model: string | undefined) =>
  (told: ToldPrice): ToldPrice => {
    if (model !== undefined) return told;
    const withoutTerms = (sheet: PriceSheet | null) => sheet && { ...sheet, terms: undefined };
    const next = told.next.map((each) => ({ ...each, prices: withoutTerms(each.prices) }));
    return { ...told, prices: withoutTerms(told.prices), next };
  };

/** What is to come, in the order of time. */
function nextOf(one: PriceSchedule, now: number): ToldPrice['next'] {
  return (one.changes ?? []).flatMap((change) => {
    const from = Date.parse(change.from);
    if (from <= now) return [];
    const { prices, isSet } = priceAt(one, from);
    return [{ from, prices, isSet }];
  });
}
