import type { UsageRow } from './usage-row';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What a set of events adds to one rollup row. `at` is the start of its interval, epoch milliseconds; `cost` a decimal string of nano-dollars. */
export interface RollupChange {
  key: string;
  at: number;
  model: string;
  requests: number;
  unpriced: number;
  input: number;
  output: number;
  cost: string;
}
/** What is added to a key's used tokens of a month (`YYYY-MM-01`, UTC). */
export interface QuotaChange {
  key: string;
  month: string;
  tokens: number;
}
/** What a lease no longer holds, because events used it. */
export interface LeaseChange {
  id: string;
  tokens: number;
}
export interface Changes {
  minutes: RollupChange[];
  hours: RollupChange[];
  months: QuotaChange[];
  leases: LeaseChange[];
}

/** Adds up rows into the changes of every table that sums them. An event belongs to the minute, hour and month in which it ENDED. */
export function foldRows(rows: UsageRow[]): Changes {
  const months = new Map<string, QuotaChange>();
  const leases = new Map<string, LeaseChange>();
  for (const { event, endedAt } of rows) {
    const tokens = event.usage.input + event.usage.output;
    const month = monthOf(endedAt);
    const quota = entry(months, `${month} ${event.keyId}`, () => ({ key: event.keyId, month, tokens: 0 }));
    quota.tokens += tokens;
    if (event.lease === null) continue;
    const id = event.lease;
    entry(leases, id, () => ({ id, tokens: 0 })).tokens += tokens;
  }
  return {
    minutes: rollup(rows, minuteMs),
    hours: rollup(rows, hourMs),
    months: [...months.values()],
    leases: [...leases.values()],
  };
}

/** The first day of the UTC month of a time. */
export function monthOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 7)}-01`;
}

function rollup(rows: UsageRow[], intervalMs: number): RollupChange[] {
  const changes = new Map<string, RollupChange & { nanos: bigint }>();
  for (const { event, endedAt, costNanoUsd } of rows) {
    const at = endedAt - (endedAt % intervalMs);
    const { keyId: key, model } = event;
    const change = entry(changes, `${at} ${key} ${model}`, () => {
      return { key, at, model, requests: 0, unpriced: 0, input: 0, output: 0, cost: '0', nanos: 0n };
    });
    change.requests += 1;
    change.unpriced += costNanoUsd === null ? 1 : 0;
    change.input += event.usage.input;
    change.output += event.usage.output;
    change.nanos += costNanoUsd ?? 0n;
  }
  return [...changes.values()].map(({ nanos, ...change }) => ({ ...change, cost: nanos.toString() }));
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}
