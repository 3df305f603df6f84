import type { Statements } from '@tollgate/database';
import { entry } from '../ingest/fold-rows';
import { chartedDays } from './charted-days';
import type { ChartedDays } from './charted-days';
import type { Owner } from './largest-owners';
import { cutSeries, dayMinutes, dayMs, toldAsWhole } from './series-days';
import type { ChartedDay, DayPiece } from './series-days';
import { isUnfiltered } from './series-lines';
import type { SeriesQuestion } from './series-rows';
import type { SeriesWindow } from './series-window';

/** Days of which blocks have what these keys or accounts used. */
export interface OwnerDays {
  names: string[];
  /** In everybody's blocks and those of accounts; of a key that was of many, the same days in each one's. */
  days: ReadonlyMap<number, ChartedDay>[];
  /** Builds of the account's own blocks: all that is used in them is what it used. */
  own: ReadonlySet<bigint>;
  /** In place of which of the builds in `days` one of these names has others, of the same days. */
  builds: ReadonlyMap<string, ReadonlyMap<bigint, bigint>>;
}

const none: Pick<OwnerDays, 'own' | 'builds'> = { own: new Set(), builds: new Map() };

/** `days`: what everybody's blocks have. */
export async function daysOfOwners(
  queries: Statements,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  question: SeriesQuestion,
  owners: readonly Owner[],
): Promise<OwnerDays[]> {
  const names = owners.map(({ name }) => name);
  if (question.groupBy === 'key')
    return isUnfiltered(question)
      ? daysOfKeys(queries, window, days, names)
      : daysOfModel(queries, window, days, question, owners);
  return isUnfiltered(question) ? [{ names, days: [days], ...none }] : daysOfAccounts(queries, window, days, names);
}

/**
 * Everybody's blocks have each key's whole days, and the hours of their largest keys only: a day of another
 * that steps cut is told as a whole. Keys that lack the same have the same days.
 */
async function daysOfKeys(
  queries: Statements,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  keys: string[],
): Promise<OwnerDays[]> {
  const gaps = await gapsOf(queries, cutSeries(window, days).pieces, keys);
  const whole = toldAsWhole(days);
  const groups = new Map<string, OwnerDays>();
  for (const key of keys) {
    const ofKey = gaps.get(key) ?? new Set<number>();
    const group = entry(groups, [...ofKey].join(' '), () => {
      const told = [...days].map(
        ([day, charted]) => [day, ofKey.has(day) ? (whole.get(day) ?? charted) : charted] as const,
      );
      return { names: [], days: [new Map(told)], ...none };
    });
    group.names.push(key);
  }
  return [...groups.values()];
}

/** Days of which everybody's blocks lack a piece of a key. */
async function gapsOf(
  queries: Statements,
  pieces: readonly DayPiece[],
  keys: readonly string[],
): Promise<Map<string, Set<number>>> {
  const cut = pieces.filter(({ until }) => until !== dayMinutes);
  const told = await keysWithHours(
    queries,
    [...new Set(cut.flatMap((piece) => (piece.inPoints ? [piece.build] : [])))],
    keys,
  );
  const gaps = new Map<string, Set<number>>();
  for (const { day, build, inPoints } of cut) {
    const ofBuild = inPoints ? told.get(build) : undefined;
    for (const key of keys) if (!ofBuild?.has(key)) entry(gaps, key, () => new Set<number>()).add(day);
  }
  return gaps;
}

/** Which of these keys a block of everybody has the hours of, by its build. */
async function keysWithHours(
  queries: Statements,
  builds: readonly bigint[],
  keys: readonly string[],
): Promise<Map<bigint, Set<string>>> {
  const told = new Map<bigint, Set<string>>();
  if (builds.length === 0) return told;
  const rows = await queries.$queryRaw<{ build: bigint; key: string }[]>`
    SELECT asked.build, top.key FROM unnest(${builds}::bigint[]) AS asked (build)
    CROSS JOIN LATERAL usage_block_top_keys(asked.build) AS top (key) WHERE top.key = ANY(${keys}::text[])`;
  for (const { build, key } of rows) entry(told, build, () => new Set<string>()).add(key);
  return told;
}

/**
 * Everybody's blocks tell accounts apart by model and provider of whole days only. The accounts' own have
 * every hour of all that they used.
 */
async function daysOfAccounts(
  queries: Statements,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  accountIds: string[],
): Promise<OwnerDays[]> {
  const { pieces } = cutSeries(window, days);
  const cut = new Set(pieces.flatMap(({ day, until }) => (until === dayMinutes ? [] : [day])));
  const isAsked = (day: number) => cut.has(day) || !days.has(day);
  const told = await chartedDays(queries, { keyId: '', accountIds, dimension: 'all', isAsked }, window);
  const ofAll = toldAsWhole(days);
  const groups = new Map<string, { first: ChartedDays; names: string[]; builds: Map<string, Map<bigint, bigint>> }>();
  for (const name of accountIds) {
    const own = told.get(name) ?? new Map<number, ChartedDay>();
    const group = entry(groups, shapeOf(own), () => ({ first: own, names: [], builds: new Map() }));
    group.names.push(name);
    if (group.first !== own) group.builds.set(name, buildsInPlace(group.first, own));
  }
  return [...groups.values()].map(({ first, names, builds }) => ({
    names,
    builds,
    days: [new Map([...ofAll, ...first])],
    own: buildsOf(first),
  }));
}

/**
 * Of which days there are which blocks. Days are cut once for all accounts of which these are the same: to
 * cut them for each took longer than to read what they used.
 */
function shapeOf(days: ChartedDays): string {
  let shape = '';
  for (const [day, { lines, isCut, points }] of days)
    shape += `${day / dayMs}${lines === null ? '' : 'l'}${isCut ? 'c' : ''}${points === null ? '' : 'p'} `;
  return shape;
}

/** The builds of one account in place of those of another with the same days. */
function buildsInPlace(first: ChartedDays, own: ChartedDays): Map<bigint, bigint> {
  const builds = new Map<bigint, bigint>();
  for (const [day, charted] of own)
    for (const kind of ['lines', 'points'] as const) {
      const [known, build] = [first.get(day)?.[kind] ?? null, charted[kind]];
      if (known !== null && build !== null) builds.set(known, build);
    }
  return builds;
}

/**
 * By model and provider keys are told apart in the blocks of their accounts, of whole days. These have of a
 * key what it used in the account: a day is read where each of its accounts has one. Everybody's blocks have
 * the hours of a model's largest keys, in whichever accounts. Keys of the same blocks have the same days.
 */
async function daysOfModel(
  queries: Statements,
  window: SeriesWindow,
  days: ReadonlyMap<number, ChartedDay>,
  question: SeriesQuestion,
  keys: readonly Owner[],
): Promise<OwnerDays[]> {
  const ofAll = await buildsWithModel(queries, days, question, keys);
  const isTold = (name: string, day: number) => ofAll.get(name)?.has(days.get(day)?.points ?? null) ?? false;
  const accountIds = [...new Set(keys.flatMap((key) => key.accountIds))];
  const isAsked = (day: number) => keys.some(({ name }) => !isTold(name, day));
  const told = await chartedDays(queries, { keyId: '', accountIds, dimension: 'key', isAsked }, window);
  const groups = new Map<string, OwnerDays>();
  for (const { name, accountIds } of keys) {
    const ofAccounts = accountIds.map((accountId) => told.get(accountId) ?? new Map<number, ChartedDay>());
    const blocks = ofAccounts.every(({ size }) => size > 0) ? accountIds.toSorted() : [];
    const group = entry(groups, JSON.stringify([[...(ofAll.get(name) ?? [])].map(String), blocks]), () => {
      const known = [...days.keys()].filter((day) => isTold(name, day));
      const inAll = new Map(
        known.map((day) => [day, { lines: null, isCut: false, points: days.get(day)?.points ?? null }]),
      );
      const [first = [], ...others] = ofAccounts.map((one) =>
        [...toldAsWhole(one)].filter(([day]) => !inAll.has(day) && ofAccounts.every((other) => other.has(day))),
      );
      return { names: [], days: [new Map([...inAll, ...first]), ...others.map((one) => new Map(one))], ...none };
    });
    group.names.push(name);
  }
  return [...groups.values()];
}

/**
 * The builds of everybody's that have the hours of a key by model: its sums in all accounts. Each is looked
 * up: as a condition (EXISTS) Postgres reads the keys of this model in all blocks of all accounts.
 */
async function buildsWithModel(
  queries: Statements,
  days: ReadonlyMap<number, ChartedDay>,
  { model }: SeriesQuestion,
  keys: readonly Owner[],
): Promise<Map<string, Set<bigint | null>>> {
  const builds = [...new Set([...days.values()].map(({ points }) => points))].filter((build) => build !== null);
  if (model === undefined || builds.length === 0) return new Map();
  const rows = await queries.$queryRaw<{ build: bigint; key: string }[]>`
    SELECT asked.build, key.name AS key FROM unnest(${builds}::bigint[]) WITH ORDINALITY AS asked (build, place)
    CROSS JOIN unnest(${keys.map(({ name }) => name)}::text[]) AS key (name)
    CROSS JOIN LATERAL (
      SELECT FROM usage_block_points AS points WHERE points.build = asked.build AND until = ${dayMinutes}
        AND dimension = 'key' AND points.name = key.name AND model = ${model} LIMIT 1
    ) AS told ORDER BY place`;
  const ofKeys = new Map<string, Set<bigint | null>>();
  for (const { build, key } of rows) entry(ofKeys, key, () => new Set<bigint | null>()).add(build);
  return ofKeys;
}

function buildsOf(days: ChartedDays): Set<bigint> {
  return new Set([...days.values()].flatMap(({ lines, points }) => [lines, points]).filter((build) => build !== null));
}
