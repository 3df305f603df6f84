import { Injectable } from '@nestjs/common';
import { fromPriceColumns } from '@tollgate/database';
import type { Price, Queries } from '@tollgate/database';
import { Databases } from '../databases';
import { toRateSheet } from './rate-sheet';
import type { FoundPrice } from './rate-usage';

interface DatedPrice extends FoundPrice {
  /** Epoch milliseconds; the price holds from `from` up to, not including, `to`. */
  from: number;
  to: number;
}

/** A price row as what rates. */
export function foundPrice(row: Price): FoundPrice {
  return { id: row.id, sheet: toRateSheet(fromPriceColumns(row)) };
}

/** Changes with every price; 0 before the first. */
export async function catalogRevision(database: Pick<Queries<'metering'>, 'catalogRevision'>): Promise<bigint> {
  const row = await database.catalogRevision.findUnique({ where: { id: 1 } });
  return row?.revision ?? 0n;
}

/** The price book as it is now: read again only after the catalog changed. */
@Injectable()
export class CurrentPrices {
  private book: PriceBook | null = null;

  constructor(private readonly databases: Databases) {}

  async read(): Promise<PriceBook> {
    if (this.book?.revision !== (await catalogRevision(this.databases.operations)))
      this.book = await PriceBook.load(this.databases.operations);
    return this.book;
  }
}

/**
 * All prices, by model, as they were at one revision of the catalog. It is a snapshot: whoever stores what
 * was rated with it compares `revision` with the database's in the same transaction, and loads a new book
 * when they differ.
 */
export class PriceBook {
  private constructor(
    readonly revision: bigint,
    private readonly prices: Map<string, DatedPrice[]>,
  ) {}

  static async load(database: Pick<Queries<'metering'>, 'price' | 'catalogRevision'>): Promise<PriceBook> {
    // The revision first: prices that change in between then only make the book look older than it is.
    const revision = await catalogRevision(database);
    return PriceBook.of(revision, await database.price.findMany());
  }

  static of(revision: bigint, rows: Price[]): PriceBook {
    const prices = new Map<string, DatedPrice[]>();
    for (const row of rows) {
      const dated = { ...foundPrice(row), from: row.validFrom.getTime(), to: row.validTo?.getTime() ?? Infinity };
      prices.set(row.model, [...(prices.get(row.model) ?? []), dated]);
    }
    return new PriceBook(revision, prices);
  }

  /** The price of a model at a moment, or null: it is not known. */
  find(model: string, atMs: number): FoundPrice | null {
    return this.prices.get(model)?.find(({ from, to }) => from <= atMs && atMs < to) ?? null;
  }
}
