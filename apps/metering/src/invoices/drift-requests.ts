import { Injectable } from '@nestjs/common';
import type { DriftRequest, UsageEvent } from '@tollgate/contracts';
import { Databases } from '../databases';
import { CurrentPrices } from '../rating/price-book';
import { BillPlaces } from './drift';
import { dayMs, eventsOfDay, startOf } from './events-of-day';
import { Invoices } from './invoices';
import { ratedUses, type RatedUse } from './rated-uses';

/** A line of a provider's day. */
interface LineOfDay {
  provider: string;
  day: string;
  model: string;
  kind: string;
}

/**
 * What we know of a request of the line's model. `picoUsd`: what is in the line; null: none of it. Tokens are
 * those of the model, whatever line they are in, as a provider's minutes tell them.
 */
interface OwnRequest {
  event: Pick<UsageEvent, 'id' | 'requestId' | 'startedAt'>;
  picoUsd: bigint | null;
  input: number;
  output: number;
}

type Tokens = Record<'input' | 'output', number>;

const inputKinds = [
  ...['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h'],
  ...['audioInput', 'imageInput', 'videoInput'],
];
const outputKinds = ['output', 'audioOutput', 'imageOutput'];

const minuteMs = 60_000;
const mostRequests = 200;

/** Names the requests behind the drift of a line. */
@Injectable()
export class DriftRequests {
  constructor(
    private readonly databases: Databases,
    private readonly prices: CurrentPrices,
    private readonly invoices: Invoices,
  ) {}

  /**
   * By the ids in the bill where it has some; else those of the minutes in which the provider tells other
   * tokens than we do; else all of the line. Those that differ most come first, 200 at most of `count`.
   */
  async find(line: LineOfDay): Promise<{ requests: DriftRequest[]; count: number }> {
    const own = await this.own(line);
    const billed = await this.billedOf(line);
    const found = billed.size > 0 ? byIds(own, billed) : byMinutes(own, await this.minutesOf(line), line);
    found.sort((a, b) => compare(sizeOf(b), sizeOf(a)));
    return { requests: found.slice(0, mostRequests), count: found.length };
  }

  private async own(line: LineOfDay): Promise<OwnRequest[]> {
    const { provider, day } = line;
    const prices = await this.prices.read();
    const places = new BillPlaces(await this.invoices.billed(day, day, provider));
    const own: OwnRequest[] = [];
    for await (const events of eventsOfDay(this.databases, day))
      for (const { id, requestId, startedAt, ...event } of events) {
        const uses = ratedUses(event, (model) => prices.find(model, Math.floor(startedAt)));
        const ofModel = uses.filter(
          (use) => use.provider === provider && (line.model === '' || use.model === line.model),
        );
        if (ofModel.length === 0) continue;
        const inLine = ofModel.filter((use) => {
          const place = places.of(use);
          return place.model === line.model && place.kind === line.kind;
        });
        const picoUsd = inLine.length === 0 ? null : inLine.reduce((sum, use) => sum + (use.picoUsd ?? 0n), 0n);
        const [input, output] = [tokensIn(ofModel, inputKinds), tokensIn(ofModel, outputKinds)];
        own.push({ event: { id, requestId, startedAt }, picoUsd, input, output });
      }
    return own;
  }

  /** By request id; empty where the bill tells no single requests. */
  private async billedOf({ provider, day, model, kind }: LineOfDay): Promise<Map<string, bigint>> {
    const rows = await this.databases.recount.$queryRaw<{ id: string; pico: string }[]>`
      SELECT request_id AS id, sum(pico_usd)::text AS pico FROM billed_line
      WHERE provider = ${provider} AND day = ${day}::date AND model = ${model} AND kind = ${kind} AND request_id IS NOT NULL
      GROUP BY 1`;
    return new Map(rows.map(({ id, pico }) => [id, BigInt(pico)]));
  }

  /** What the provider tells of each minute of the day; null: nothing. */
  private async minutesOf({ provider, day, model }: LineOfDay): Promise<Map<number, Tokens> | null> {
    const from = startOf(day);
    const at = { gte: new Date(from), lt: new Date(from + dayMs) };
    const rows = await this.databases.recount.billedMinute.findMany({ where: { provider, model, at } });
    if (rows.length === 0) return null;
    return new Map(
      rows.map((row) => [row.at.getTime(), { input: Number(row.inputTokens), output: Number(row.outputTokens) }]),
    );
  }
}

function byIds(own: readonly OwnRequest[], billed: Map<string, bigint>): DriftRequest[] {
  const left = new Map(billed);
  const found: DriftRequest[] = [];
  for (const request of own) {
    const { id, requestId } = request.event;
    const key = [id, requestId].find((each) => left.has(each));
    const amount = key === undefined ? null : (left.get(key) ?? null);
    if (key !== undefined) left.delete(key);
    // What cost nothing need not be billed.
    if ((amount ?? 0n) === (request.picoUsd ?? 0n)) continue;
    found.push(asFound(request, amount === null ? 'not-billed' : 'amount', amount ?? 0n));
  }
  for (const [requestId, amount] of left)
    found.push({
      eventId: null,
      requestId,
      at: null,
      reason: 'unknown-here',
      billedPicoUsd: amount.toString(),
      ratedPicoUsd: null,
    });
  return found;
}

function byMinutes(
  own: readonly OwnRequest[],
  told: ReadonlyMap<number, Tokens> | null,
  { kind }: LineOfDay,
): DriftRequest[] {
  const inLine = own.filter(({ picoUsd }) => picoUsd !== null);
  const all = inLine.map((request) => asFound(request, 'line', null));
  if (!told) return all;
  const ours = new Map<number, Tokens>();
  for (const { event, input, output } of own) {
    const sums = ours.get(minuteOf(event)) ?? { input: 0, output: 0 };
    ours.set(minuteOf(event), { input: sums.input + input, output: sums.output + output });
  }
  const sides: (keyof Tokens)[] = kind === '' ? ['input', 'output'] : [/output/i.test(kind) ? 'output' : 'input'];
  const differs = (at: number): boolean =>
    sides.some((side) => (told.get(at)?.[side] ?? 0) !== (ours.get(at)?.[side] ?? 0));
  const minutes = [...new Set([...told.keys(), ...ours.keys()])].filter(differs);
  if (minutes.length === 0) return all;
  const named = inLine.filter(({ event }) => minutes.includes(minuteOf(event)));
  const unknown = minutes.filter((at) => !ours.has(at));
  return [
    ...named.map((request) => asFound(request, 'minute', null)),
    ...unknown.map((at): DriftRequest => {
      return { eventId: null, requestId: '', at, reason: 'unknown-here', billedPicoUsd: null, ratedPicoUsd: null };
    }),
  ];
}

function tokensIn(uses: readonly RatedUse[], kinds: readonly string[]): number {
  return uses.reduce((sum, { kind, quantity }) => (kinds.includes(kind) ? sum + quantity : sum), 0);
}

function minuteOf({ startedAt }: Pick<UsageEvent, 'startedAt'>): number {
  return Math.floor(startedAt / minuteMs) * minuteMs;
}

function asFound({ event, picoUsd }: OwnRequest, reason: DriftRequest['reason'], billed: bigint | null): DriftRequest {
  return {
    eventId: event.id,
    requestId: event.requestId,
    at: event.startedAt,
    reason,
    billedPicoUsd: billed?.toString() ?? null,
    ratedPicoUsd: (picoUsd ?? 0n).toString(),
  };
}

/** How far a request is from its bill; where the bill tells no single ones, what it costs. */
function sizeOf({ billedPicoUsd, ratedPicoUsd }: DriftRequest): bigint {
  const difference = BigInt(billedPicoUsd ?? '0') - BigInt(ratedPicoUsd ?? '0');
  return difference < 0n ? -difference : difference;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
