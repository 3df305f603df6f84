import { isOnOwnKey } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { ownKeyProvider } from '@tollgate/contracts/accounts';
import { responseCacheProvider } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { BudgetLeaseChange } from '../budgets/budget-sums';
import { addHistograms, countTime } from '../reports/histogram';
import { sliceChangesOf } from '../slices/slice-changes';
import type { SliceChange } from '../slices/slice-changes';
import { everybody } from './everybody';
import type { UsageRow } from './usage-row';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** What came within less, milliseconds, tells of buffers on its way, and not how fast its provider is. */
const leastStreamMs = 100;

/**
 * What a set of events adds to one rollup row. `at` is the start of its interval, epoch milliseconds; `cost`
 * a decimal string of nano-dollars; `latency` and `first` are histograms of the completed requests' times and
 * of the times to the first content; answers from the response cache are in neither. `streamedTokens` came in
 * `streamedMs`: see `streamedMsOf`.
 */
export interface RollupChange {
  key: string;
  at: number;
  model: string;
  provider: string;
  account: string;
  requests: number;
  unpriced: number;
  input: number;
  output: number;
  cached: number;
  reasoning: number;
  failed: number;
  cancelled: number;
  fromCache: number;
  latency: number[];
  first: number[];
  streamedTokens: number;
  streamedMs: number;
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
  slices: SliceChange[];
  months: QuotaChange[];
  leases: LeaseChange[];
  budgetLeases: BudgetLeaseChange[];
}

/** A row, and whether its event is counted (1) or no longer counted, because another took its place (-1). */
interface SignedRow {
  row: UsageRow;
  sign: 1 | -1;
}

/**
 * Adds up rows into the changes of every table that sums them, and takes out what they replace. An event
 * belongs to the minute, hour and month in which it ENDED. Of a lease nothing is taken that an event gave
 * back before.
 */
export function foldRows(added: UsageRow[], replaced: UsageRow[] = []): Changes {
  const months = new Map<string, QuotaChange>();
  const leases = new Map<string, LeaseChange>();
  const rows = [
    ...added.map((row): SignedRow => ({ row, sign: 1 })),
    ...replaced.map((row): SignedRow => ({ row, sign: -1 })),
  ];
  for (const { row, sign } of rows) {
    const { event, endedAt } = row;
    const tokens = sign * (event.usage.input + event.usage.output);
    const month = monthOf(endedAt);
    const quota = entry(months, `${month} ${event.keyId}`, () => ({ key: event.keyId, month, tokens: 0 }));
    quota.tokens += tokens;
    if (event.lease === null) continue;
    const id = event.lease;
    entry(leases, id, () => ({ id, tokens: 0 })).tokens += tokens;
  }
  return {
    ...rollup(rows),
    slices: sliceChangesOf(added, replaced),
    months: [...months.values()],
    leases: [...leases.values()].filter(({ tokens }) => tokens >= 0),
    budgetLeases: budgetLeasesOf(added, replaced),
  };
}

/**
 * What requests reserved of budgets is held no more, whatever they cost. An event that takes the place of
 * another finds that done.
 */
function budgetLeasesOf(added: UsageRow[], replaced: UsageRow[]): BudgetLeaseChange[] {
  const done = new Set(replaced.map(({ event }) => event.id.toLowerCase()));
  const nanos = new Map<string, bigint>();
  for (const { event } of added)
    for (const { lease, nanoUsd } of done.has(event.id.toLowerCase()) ? [] : (event.budgets ?? []))
      nanos.set(lease, (nanos.get(lease) ?? 0n) + BigInt(nanoUsd));
  return [...nanos].map(([id, sum]) => ({ id, nanos: sum.toString() }));
}

/** The beginning of the minute of a time, epoch milliseconds. */
export function minuteOf(timeMs: number): number {
  return timeMs - (timeMs % minuteMs);
}

/** The first day of the UTC month of a time. */
export function monthOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 7)}-01`;
}

/**
 * The provider of the last attempt, which answered if any did; empty when none was made. What went with keys
 * of accounts is told apart. SQL has the same: `providerInSql`.
 */
export function providerOf({ attempts, cached }: UsageEvent): string {
  if (cached) return responseCacheProvider;
  const provider = attempts.at(-1)?.provider ?? '';
  return isOnOwnKey({ attempts }) ? ownKeyProvider(provider) : provider;
}

/** `providerOf` of a row of usage_event. */
export const providerInSql = Prisma.sql`CASE WHEN cached THEN ${responseCacheProvider}
  ELSE coalesce(attempts->-1->>'provider', '') || CASE WHEN attempts->-1->>'ownKey' = 'true' THEN ${ownKeyProvider('')} ELSE '' END END`;

/** A change while it is added up. */
type Sums = Omit<RollupChange, 'cost'> & { nanos: bigint };
/** Whose sums they are, and of when. */
type Group = Pick<Sums, 'key' | 'at' | 'account'>;

/**
 * Only the sums of a key's minute take each row: there are far fewer of them than rows, and all others are
 * sums of these.
 */
function rollup(rows: readonly SignedRow[]): Pick<Changes, 'minutes' | 'hours'> {
  const ofKeys = new Map<string, Sums>();
  for (const { row, sign } of rows) {
    const { keyId, model, accountId } = row.event;
    const group = { key: keyId, at: minuteOf(row.endedAt), account: accountId };
    addRow(sumsOf(ofKeys, group, model, providerOf(row.event)), row, sign);
  }
  const ofAll = regrouped(ofKeys.values(), ({ at }) => ({ key: everybody, at, account: '' }));
  const minutes = [...ofKeys.values(), ...ofAll];
  const hours = regrouped(minutes, ({ key, at, account }) => ({ key, at: at - (at % hourMs), account }));
  return { minutes: minutes.map(toChange), hours: hours.map(toChange) };
}

/** The sums of a group, which begin with nothing. */
function sumsOf(groups: Map<string, Sums>, { key, at, account }: Group, model: string, provider: string): Sums {
  return entry(groups, `${at} ${key} ${model} ${provider}`, () => {
    return { key, at, model, provider, account, ...nothing, latency: [], first: [], nanos: 0n };
  });
}

function regrouped(all: Iterable<Sums>, toGroup: (sums: Sums) => Group): Sums[] {
  const groups = new Map<string, Sums>();
  for (const sums of all) {
    const whole = sumsOf(groups, toGroup(sums), sums.model, sums.provider);
    whole.requests += sums.requests;
    whole.unpriced += sums.unpriced;
    whole.input += sums.input;
    whole.output += sums.output;
    whole.cached += sums.cached;
    whole.reasoning += sums.reasoning;
    whole.failed += sums.failed;
    whole.cancelled += sums.cancelled;
    whole.fromCache += sums.fromCache;
    whole.nanos += sums.nanos;
    whole.latency = addHistograms(whole.latency, sums.latency);
    whole.first = addHistograms(whole.first, sums.first);
    whole.streamedTokens += sums.streamedTokens;
    whole.streamedMs += sums.streamedMs;
  }
  return [...groups.values()];
}

function toChange({ nanos, ...sums }: Sums): RollupChange {
  return { ...sums, cost: nanos.toString() };
}

const nothing = {
  requests: 0,
  unpriced: 0,
  input: 0,
  output: 0,
  cached: 0,
  reasoning: 0,
  failed: 0,
  cancelled: 0,
  fromCache: 0,
  streamedTokens: 0,
  streamedMs: 0,
};

function addRow(change: Sums, { event, ...row }: UsageRow, sign: SignedRow['sign']): void {
  const { usage, state, cached } = event;
  change.requests += sign;
  change.unpriced += row.costNanoUsd === null ? sign : 0;
  change.input += sign * usage.input;
  change.output += sign * usage.output;
  change.cached += sign * usage.cachedInput;
  change.reasoning += sign * usage.reasoning;
  change.failed += state === 'failed' ? sign : 0;
  change.cancelled += state === 'cancelled' ? sign : 0;
  change.fromCache += cached ? sign : 0;
  change.nanos += BigInt(sign) * (row.costNanoUsd ?? 0n);
  if (cached) return;
  if (state === 'completed') countTime(change.latency, row.endedAt - row.startedAt, sign);
  if (row.firstTokenAt !== null) countTime(change.first, row.firstTokenAt - row.startedAt, sign);
  const streamedMs = streamedMsOf(event, row);
  change.streamedMs += sign * streamedMs;
  change.streamedTokens += streamedMs > 0 ? sign * usage.output : 0;
}

/**
 * The milliseconds in which the tokens of a completed, streamed answer came: from its first content to its
 * end. 0: they tell nothing of its speed. Providers hold tokens of reasoning back or do not, and do not say
 * which.
 */
function streamedMsOf(
  { state, usage }: UsageEvent,
  { firstTokenAt, endedAt }: Pick<UsageRow, 'firstTokenAt' | 'endedAt'>,
): number {
  if (state !== 'completed' || firstTokenAt === null || usage.reasoning > 0) return 0;
  const took = endedAt - firstTokenAt;
  return took < leastStreamMs ? 0 : took;
}

/** What a map has for a key; what `create` makes where it has nothing. */
export function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}
