import { Injectable } from '@nestjs/common';
import type { UsageEvent } from '@tollgate/contracts';
import { certainDrift } from '@tollgate/contracts/metering';
import type { DriftRequest, OwnSide } from '@tollgate/contracts/metering';
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
 * What we know of a request of the line's model. `picoUsd`: what is in the line for certain; null: nothing of
 * it is. Tokens are those of the model, whatever line they are in, as a provider's minutes tell them.
 */
interface OwnRequest {
  event: Pick<UsageEvent, 'id' | 'requestId' | 'startedAt'>;
  /** What a bill may call it: by our ids, and by those that the provider has for its answers. */
  names: readonly string[];
  picoUsd: bigint | null;
  estimatedPicoUsd: bigint;
  certain: Tokens;
  estimated: Tokens;
}

type Tokens = Record<'input' | 'output', number>;
const noTokens: Tokens = { input: 0, output: 0 };

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
        const [certain, estimated] = [false, true].map((is) => ofModel.filter((use) => use.estimated === is));
        own.push({
          event: { id, requestId, startedAt },
          names: [
            id,
            requestId,
            ...event.attempts.flatMap(({ answerId }) => (answerId === undefined ? [] : [answerId])),
          ],
          picoUsd: inLine.length === 0 ? null : amountOf(inLine.filter((use) => !use.estimated)),
          estimatedPicoUsd: amountOf(inLine.filter((use) => use.estimated)),
          certain: tokensOf(certain ?? []),
          estimated: tokensOf(estimated ?? []),
        });
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
    const known = request.names.filter((name) => left.has(name));
    const amount = known.length === 0 ? null : known.reduce((sum, name) => sum + (left.get(name) ?? 0n), 0n);
    for (const name of known) left.delete(name);
    // What cost nothing for certain need not be billed.
    if (certainDrift(amount ?? 0n, sideOf(request)) === 0n) continue;
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
      estimatedPicoUsd: '0',
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
  const ours = new Map<number, Record<'certain' | 'estimated', Tokens>>();
  for (const { event, certain, estimated } of own) {
    const sums = ours.get(minuteOf(event));
    ours.set(minuteOf(event), {
      certain: together(sums?.certain, certain),
      estimated: together(sums?.estimated, estimated),
    });
  }
  const sides: (keyof Tokens)[] = kind === '' ? ['input', 'output'] : [/output/i.test(kind) ? 'output' : 'input'];
  const differs = (at: number): boolean =>
    sides.some((side) => {
      const { certain, estimated } = ours.get(at) ?? { certain: noTokens, estimated: noTokens };
      const expected = { certain: BigInt(certain[side]), estimated: BigInt(estimated[side]) };
      return certainDrift(BigInt(told.get(at)?.[side] ?? 0), expected) !== 0n;
    });
  const minutes = [...new Set([...told.keys(), ...ours.keys()])].filter(differs);
  if (minutes.length === 0) return all;
  const named = inLine.filter(({ event }) => minutes.includes(minuteOf(event)));
  const unknown = minutes.filter((at) => !ours.has(at));
  return [
    ...named.map((request) => asFound(request, 'minute', null)),
    ...unknown.map((at): DriftRequest => {
      const nothing = { billedPicoUsd: null, ratedPicoUsd: null, estimatedPicoUsd: '0' };
      return { eventId: null, requestId: '', at, reason: 'unknown-here', ...nothing };
    }),
  ];
}

function amountOf(uses: readonly RatedUse[]): bigint {
  return uses.reduce((sum, { picoUsd }) => sum + (picoUsd ?? 0n), 0n);
}

function tokensOf(uses: readonly RatedUse[]): Tokens {
  const sum = (kinds: readonly string[]): number =>
    uses.reduce((all, { kind, quantity }) => (kinds.includes(kind) ? all + quantity : all), 0);
  return { input: sum(inputKinds), output: sum(outputKinds) };
}

function together({ input, output }: Tokens = noTokens, other: Tokens): Tokens {
  return { input: input + other.input, output: output + other.output };
}

function sideOf({ picoUsd, estimatedPicoUsd }: OwnRequest): OwnSide {
  return { certain: picoUsd ?? 0n, estimated: estimatedPicoUsd };
}

function minuteOf({ startedAt }: Pick<UsageEvent, 'startedAt'>): number {
  return Math.floor(startedAt / minuteMs) * minuteMs;
}

function asFound(request: OwnRequest, reason: DriftRequest['reason'], billed: bigint | null): DriftRequest {
  const { event, picoUsd, estimatedPicoUsd } = request;
  return {
    eventId: event.id,
    requestId: event.requestId,
    at: event.startedAt,
    reason,
    billedPicoUsd: billed?.toString() ?? null,
    ratedPicoUsd: (picoUsd ?? 0n).toString(),
    estimatedPicoUsd: estimatedPicoUsd.toString(),
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
