import type { NanoUsd, UsageEvent } from '@tollgate/contracts';
import { isOnOwnKey } from '@tollgate/contracts';
import { unbilledUses } from '../invoices/rated-uses';
import type { PriceBook } from '../rating/price-book';
import { picosOf } from '../rating/charge-lines';
import { chargeEvent } from '../rating/rate-usage';
import type { EventLine, FoundPrice } from '../rating/rate-usage';
import { everybody } from './everybody';

/**
 * An event with its price: what is stored of it. Times are whole epoch milliseconds. `costNanoUsd` null
 * together with `priceId`: unpriced.
 */
export interface UsageRow {
  event: UsageEvent;
  bornAt: number;
  startedAt: number;
  firstTokenAt: number | null;
  endedAt: number;
  priceId: string | null;
  costNanoUsd: NanoUsd | null;
  /**
   * What the provider says that it charges, and what our prices make of the same, US dollars: both only to be
   * watched. Null: it says nothing, or there is no price.
   */
  told: { provider: string; toldUsd: number; ratedUsd: number } | null;
  /** What providers may charge for attempts that the caller does not pay, US dollars: only to be watched. */
  unbilled: readonly { provider: string; usd: number }[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The last millisecond of the year 9999. */
const latestMs = 253_402_300_799_999;
/** Far above any model's window; keeps every sum of money within its column. */
const mostTokens = 10_000_000_000;
/** Postgres refuses index entries of more than about 2,700 bytes. */
const longestName = 300;

/** The time inside a UUIDv7, epoch milliseconds: its first 48 bits (RFC 9562, section 5.7). */
export function bornAt(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Why an event can never be stored, in words for the dead letter; null when it can. */
export function unusable(event: UsageEvent, keptSinceMs: number): string | null {
  if (!uuid.test(event.id)) return `the id ${event.id} is not a UUID`;
  if (bornAt(event.id) > latestMs) return `the id ${event.id} holds a time after the year 9999`;
  if (bornAt(event.id) < keptSinceMs) return `event ${event.id} is older than what is kept (METERING_RETENTION_MONTHS)`;
  const times = [event.startedAt, event.endedAt, event.firstTokenAt ?? 0];
  if (times.some((time) => !(time >= 0 && time <= latestMs))) return `a time of event ${event.id} is not possible`;
  if (countsOf(event).some((count) => count > mostTokens))
    return `event ${event.id} claims more than ${mostTokens} tokens`;
  if (event.cached && countsOf(event).some((count) => count > 0))
    return `event ${event.id} claims tokens for an answer from the response cache`;
  if (Math.abs(event.status) > 999) return `the status ${event.status} of event ${event.id} is not an HTTP status`;
  const { keyId, accountId, model, lease, attempts } = event;
  const { tags = [], ...attributed } = event.attribution ?? {};
  const providers = attempts.map(({ provider }) => provider);
  const names = [keyId, accountId, model, lease ?? '', ...providers, ...tags, ...Object.values(attributed)];
  if (keyId === everybody) return `event ${event.id} has the key ${everybody}, which stands for all keys`;
  if (names.some((name) => name.length > longestName)) return `a name in event ${event.id} is too long`;
  return null;
}

/** Everything that an event counts. */
function countsOf({ usage: { served, ...tokens } }: UsageEvent): number[] {
  return [...Object.values(tokens), ...Object.values(served?.units ?? {})];
}

/** Prices an event by the rows that were valid when it started. */
export function toUsageRow(event: UsageEvent, prices: Pick<PriceBook, 'find'>): UsageRow {
  const startedAt = Math.floor(event.startedAt);
  const find = (model: string): FoundPrice | null => prices.find(model, startedAt);
  const { price, nanoUsd, lines } = chargeEvent(event, find);
  return {
    event,
    bornAt: bornAt(event.id),
    startedAt,
    firstTokenAt: event.firstTokenAt === null ? null : Math.floor(event.firstTokenAt),
    endedAt: Math.floor(event.endedAt),
    priceId: nanoUsd === null ? null : (price?.id ?? null),
    costNanoUsd: nanoUsd,
    told: nanoUsd === null ? null : toldOf(event, lines),
    unbilled: unbilledUses(event, find).map(({ provider, picoUsd }) => ({
      provider,
      usd: Number(picoUsd ?? 0n) / 1e12,
    })),
  };
}

/**
 * An operator's own mark-up is no part of what the provider charges. What an account pays it is not ours.
 */
function toldOf({ usage, attempts }: UsageEvent, lines: readonly EventLine[]): UsageRow['told'] {
  if (isOnOwnKey({ attempts })) return null;
  const toldNanoUsd = usage.served?.toldNanoUsd;
  const provider = attempts.at(-1)?.provider;
  const picos = picosOf(lines.filter(({ kind }) => kind !== 'markup'));
  if (toldNanoUsd === undefined || provider === undefined || picos === null) return null;
  return { provider, toldUsd: Number(toldNanoUsd) / 1e9, ratedUsd: Number(picos) / 1e12 };
}
