import { Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { BilledDay, DriftLine, invoiceOperations, ReadBill } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { z } from 'zod';
import { Databases } from '../databases';
import { postgresJson } from '../ingest/postgres-json';
import { driftOf, type BilledSum, type RatedSum } from './drift';
import { dayMs, startOf } from './events-of-day';

type Stored = z.output<typeof invoiceOperations.store.request>;

/** Providers correct their figures for some days. */
const daysRead = 3;
const rereadMs = 12 * 3_600_000;
/** A bill that could not be read is asked for again. */
const retryMs = 3_600_000;
const mostDays = 92;
const minutesKeptMs = 40 * dayMs;

interface BilledRow extends BilledSum {
  provider: string;
  day: string;
}
interface RatedRow extends RatedSum {
  provider: string;
  day: string;
}

/** The bills of providers, and how they differ from what our prices make of the same days. */
@Injectable()
export class Invoices {
  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** Which days of these providers inference is to read now. A bill that an operator imported stays. */
  async wanted(providers: readonly string[]): Promise<BilledDay[]> {
    const today = Math.floor(this.now() / dayMs) * dayMs;
    const days = Array.from({ length: daysRead }, (_, ago) => dayOf(today - (ago + 1) * dayMs));
    const bills = await this.databases.operations.providerBill.findMany({
      where: { provider: { in: [...providers] }, day: { in: days.map((day) => new Date(startOf(day))) } },
    });
    const isDone = (provider: string, day: string): boolean =>
      bills.some(
        (bill) =>
          bill.provider === provider &&
          bill.day.getTime() === startOf(day) &&
          (bill.source !== 'api' || this.now() - bill.readAt.getTime() < (bill.problem === null ? rereadMs : retryMs)),
      );
    return providers.flatMap((provider) => days.flatMap((day) => (isDone(provider, day) ? [] : [{ provider, day }])));
  }

  /**
   * Stores what inference read or an operator imports. False: it is a further step of a reading in whose
   * place another one has begun, and nothing was stored.
   */
  async store({ provider, day, source, add, reading, problem, lines, minutes }: Stored): Promise<boolean> {
    const at = new Date(startOf(day));
    const readAt = new Date(this.now());
    const bill = { source, readAt, problem, ...(problem === null && { ratedAt: null, reading }) };
    return this.databases.ingest.$transaction(async (transaction) => {
      // Whoever holds the row goes first, so that a step sees which reading is the last to have begun.
      const [held] = await transaction.$queryRaw<{ reading: string | null }[]>`
        SELECT reading FROM provider_bill WHERE provider = ${provider} AND day = ${day}::date FOR UPDATE`;
      if (add && (!held || held.reading !== reading)) return false;
      await transaction.providerBill.upsert({
        where: { provider_day: { provider, day: at } },
        create: { provider, day: at, ...bill },
        update: bill,
      });
      if (problem !== null) return true;
      if (!add) {
        await transaction.billedLine.deleteMany({ where: { provider, day: at } });
        await transaction.billedMinute.deleteMany({
          where: {
            provider,
            OR: [
              { at: { gte: at, lt: new Date(at.getTime() + dayMs) } },
              { at: { lt: new Date(this.now() - minutesKeptMs) } },
            ],
          },
        });
      }
      await transaction.$executeRaw`
        INSERT INTO billed_line (provider, day, model, kind, request_id, pico_usd, quantity)
        SELECT ${provider}, ${day}::date, model, kind, "requestId", "picoUsd", quantity
        FROM json_to_recordset(${postgresJson(lines)}::json) AS line (
          model text, kind text, "requestId" text, "picoUsd" numeric, quantity bigint)`;
      await transaction.$executeRaw`
        INSERT INTO billed_minute (provider, model, at, input_tokens, output_tokens)
        SELECT ${provider}, model, 'epoch'::timestamptz + at * interval '1 millisecond', input, output
        FROM json_to_recordset(${postgresJson(minutes)}::json) AS minute (model text, at bigint, input bigint, output bigint)
        ON CONFLICT (provider, model, at) DO UPDATE SET input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens`;
      return true;
    });
  }

  /** @throws ControlError `invalid` for more than 92 days. */
  async drift(from: string, to: string, provider: string | null): Promise<{ lines: DriftLine[]; bills: ReadBill[] }> {
    if (startOf(to) - startOf(from) >= mostDays * dayMs)
      throw new ControlError('invalid', `At most ${mostDays} days are compared at once.`);
    const where = {
      day: { gte: new Date(startOf(from)), lte: new Date(startOf(to)) },
      ...(provider !== null && { provider }),
    };
    const rows = await this.databases.operations.providerBill.findMany({
      where,
      orderBy: [{ day: 'desc' }, { provider: 'asc' }],
    });
    const bills = rows.map((row) => ({
      ...row,
      day: dayOf(row.day.getTime()),
      readAt: row.readAt.getTime(),
      ratedAt: row.ratedAt?.getTime() ?? null,
    }));
    const [billed, rated] = await Promise.all([this.billed(from, to, provider), this.rated(from, to, provider)]);
    // Until our side is there, a day would look as if all of it were wrong.
    const lines = bills
      .filter(({ ratedAt }) => ratedAt !== null)
      .flatMap((bill) => {
        const isOfBill = (row: BilledRow | RatedRow): boolean => row.provider === bill.provider && row.day === bill.day;
        return driftOf(bill.provider, bill.day, billed.filter(isOfBill), rated.filter(isOfBill));
      });
    return { lines, bills };
  }

  /** The lines of bills, by model and kind. */
  async billed(from: string, to: string, provider: string | null): Promise<BilledRow[]> {
    const rows = await this.databases.operations.$queryRaw<(BilledRow & { pico: string; uses: bigint | null })[]>`
      SELECT provider, to_char(day, 'YYYY-MM-DD') AS day, model, kind, sum(pico_usd)::text AS pico,
        CASE WHEN count(quantity) = count(*) THEN sum(quantity)::bigint END AS uses
      FROM billed_line WHERE day BETWEEN ${from}::date AND ${to}::date ${ofProvider(provider)}
      GROUP BY 1, 2, 3, 4`;
    return rows.map(({ pico, uses, ...row }) => ({
      ...row,
      picoUsd: BigInt(pico),
      quantity: uses === null ? null : Number(uses),
    }));
  }

  private async rated(from: string, to: string, provider: string | null): Promise<RatedRow[]> {
    const day = { gte: new Date(startOf(from)), lte: new Date(startOf(to)) };
    const where = { day, ...(provider !== null && { provider }) };
    const rows = await this.databases.operations.ratedLine.findMany({ where });
    return rows.map((row) => ({
      ...row,
      day: dayOf(row.day.getTime()),
      picoUsd: BigInt(row.picoUsd.toFixed(0)),
      unbilledPicoUsd: BigInt(row.unbilledPicoUsd.toFixed(0)),
      estimatedPicoUsd: BigInt(row.estimatedPicoUsd.toFixed(0)),
      quantity: Number(row.quantity),
      estimatedQuantity: Number(row.estimatedQuantity),
      requests: Number(row.requests),
      unpriced: Number(row.unpriced),
    }));
  }
}

function ofProvider(provider: string | null): Prisma.Sql {
  return provider === null ? Prisma.empty : Prisma.sql`AND provider = ${provider}`;
}

/** The day (UTC) of an instant in epoch milliseconds. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
