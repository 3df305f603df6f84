import { Injectable } from '@nestjs/common';
import { driftOfModels } from '@tollgate/contracts/metering';
import { Databases } from '../databases';
import { postgresJson } from '../ingest/postgres-json';
import { MeteringMetrics } from '../metering-metrics';
import { CurrentPrices } from '../rating/price-book';
import { placeName, type RatedSum } from './drift';
import { eventsOfDay } from './events-of-day';
import { dayOf, Invoices } from './invoices';
import { ratedUses, type RatedUse } from './rated-uses';

/** How far back the newest bill is looked for that the figures show. */
const shownDays = 14;
const dayMs = 86_400_000;

/** Works our side of billed days out: what each provider should bill, by our prices. */
@Injectable()
export class RatedDays {
  constructor(
    private readonly databases: Databases,
    private readonly prices: CurrentPrices,
    private readonly invoices: Invoices,
    private readonly metrics: MeteringMetrics,
  ) {}

  /** Rates each day whose bill is newer than our side of it. Returns how many days were rated. */
  async run(): Promise<number> {
    const waiting = await this.databases.operations.providerBill.findMany({
      where: { ratedAt: null, problem: null },
      orderBy: { day: 'asc' },
    });
    const days = [...new Set(waiting.map(({ day }) => dayOf(day.getTime())))];
    for (const day of days) {
      const readBefore = waiting.filter((bill) => dayOf(bill.day.getTime()) === day);
      await this.rate(day, readBefore);
    }
    if (days.length > 0) await this.show();
    return days.length;
  }

  /** All providers of a day in one pass over its events. */
  private async rate(day: string, bills: readonly { provider: string; readAt: Date }[]): Promise<void> {
    const prices = await this.prices.read();
    const providers = new Map(bills.map(({ provider }) => [provider, new Map<string, RatedSum>()]));
    for await (const events of eventsOfDay(this.databases, day))
      for (const event of events) {
        const uses = ratedUses(event, (model) => prices.find(model, Math.floor(event.startedAt)));
        const met = new Set<RatedSum>();
        for (const use of uses) {
          const sums = providers.get(use.provider);
          if (!sums) continue;
          const sum = sumAt(sums, use);
          addUse(sum, use);
          // One request may have a line twice, of its own and of a part.
          if (!met.has(sum)) sum.requests += 1;
          if (use.picoUsd === null && !met.has(sum)) sum.unpriced += 1;
          met.add(sum);
        }
      }
    for (const bill of bills) await this.store(day, bill, [...(providers.get(bill.provider)?.values() ?? [])]);
  }

  /** A bill that came meanwhile is rated again. */
  private async store(
    day: string,
    { provider, readAt }: { provider: string; readAt: Date },
    sums: readonly RatedSum[],
  ): Promise<void> {
    const rows = postgresJson(
      sums.map(({ picoUsd, unbilledPicoUsd, estimatedPicoUsd, ...sum }) => {
        return { ...sum, picoUsd: `${picoUsd}`, unbilled: `${unbilledPicoUsd}`, estimated: `${estimatedPicoUsd}` };
      }),
    );
    await this.databases.ingest.$transaction(async (transaction) => {
      await transaction.$executeRaw`
        UPDATE provider_bill SET rated_at = clock_timestamp()
        WHERE provider = ${provider} AND day = ${day}::date AND read_at = ${readAt}`;
      await transaction.$executeRaw`DELETE FROM rated_line WHERE provider = ${provider} AND day = ${day}::date`;
      await transaction.$executeRaw`
        INSERT INTO rated_line (provider, day, model, kind, pico_usd, unbilled_pico_usd, estimated_pico_usd, quantity,
          estimated_quantity, requests, unpriced)
        SELECT ${provider}, ${day}::date, model, kind, "picoUsd", unbilled, estimated, quantity, "estimatedQuantity",
          requests, unpriced
        FROM json_to_recordset(${rows}::json) AS line (
          model text, kind text, "picoUsd" numeric, unbilled numeric, estimated numeric, quantity bigint,
          "estimatedQuantity" bigint, requests bigint, unpriced bigint)
        ON CONFLICT DO NOTHING`;
    });
  }

  /** Shows in the metrics the newest day of each provider of which both sides are there. */
  async show(): Promise<void> {
    const now = Date.now();
    const { lines, bills } = await this.invoices.drift(dayOf(now - shownDays * dayMs), dayOf(now), null);
    const providers = [...new Set(bills.map(({ provider }) => provider))];
    this.metrics.showBills(
      providers.map((provider) => {
        const own = bills.filter((bill) => bill.provider === provider);
        const newest = own.find(({ ratedAt }) => ratedAt !== null);
        const ofDay = lines.filter((line) => line.provider === provider && line.day === newest?.day);
        const sum = (picos: readonly (string | null)[]) => picos.reduce((all, each) => all + BigInt(each ?? '0'), 0n);
        return {
          provider,
          billedUsd: Number(sum(ofDay.map(({ billedPicoUsd }) => billedPicoUsd))) / 1e12,
          driftUsd: Number(driftOfModels(ofDay)) / 1e12,
          estimatedUsd: Number(sum(ofDay.map(({ estimatedPicoUsd }) => estimatedPicoUsd))) / 1e12,
          unread: own.filter(({ problem }) => problem !== null).length,
        };
      }),
    );
  }
}

function sumAt(sums: Map<string, RatedSum>, { model, kind }: RatedUse): RatedSum {
  const name = placeName({ model, kind });
  const known = sums.get(name);
  if (known) return known;
  const amounts = { picoUsd: 0n, unbilledPicoUsd: 0n, estimatedPicoUsd: 0n };
  const sum = { model, kind, ...amounts, quantity: 0, estimatedQuantity: 0, requests: 0, unpriced: 0 };
  sums.set(name, sum);
  return sum;
}

function addUse(sum: RatedSum, { quantity, picoUsd, unbilled, estimated }: RatedUse): void {
  const amount = picoUsd ?? 0n;
  if (estimated) {
    sum.estimatedQuantity += quantity;
    sum.estimatedPicoUsd += amount;
    return;
  }
  sum.quantity += quantity;
  sum.picoUsd += amount;
  if (unbilled) sum.unbilledPicoUsd += amount;
}
