import type { Statements } from '@tollgate/database';
import { postgresJson } from '../ingest/postgres-json';
import type { SummedDimension } from './slice-changes';

/**
 * So many names of a key, a dimension and a day (UTC) have sums of their own. It bounds what one caller can
 * fill the database with, and what a report has to read.
 */
export const mostNames = 1_000;

/** A name that an event of a day says. `at`: the start of the day, epoch milliseconds. */
export interface SaidName {
  readonly key: string;
  readonly dimension: SummedDimension;
  readonly at: number;
  readonly name: string;
}

/** `isKnown`: it has sums of its own. `names`: how many of its day have. */
interface Standing {
  isKnown: boolean;
  names: number;
}

/**
 * Which of these names have sums of their own, in their order; those that are new do as long as there is room
 * in their day. Once decided it stays so: a name that has sums keeps them, and a day that is full stays full.
 * So an event is always taken out of the sums that it was added to. Takes in new names under the lock of
 * their day, in the order of keys; they are there for others once the transaction has added to their sums.
 */
export async function areToldApart(transaction: Statements, said: readonly SaidName[]): Promise<boolean[]> {
  const found = await standings(transaction, said);
  const toldApart = found.map(({ isKnown }) => isKnown);
  const open = said.flatMap((name, index) => (hasRoom(found[index]) ? [{ name, index }] : []));
  if (open.length === 0) return toldApart;
  const names = open.map(({ name }) => name);
  const decided = await takeIn(transaction, names);
  for (const [place, { index }] of open.entries()) toldApart[index] = decided[place] ?? false;
  return toldApart;
}

/** Whether a name may still get sums of its own. */
function hasRoom(standing: Standing | undefined): boolean {
  return standing !== undefined && !standing.isKnown && standing.names < mostNames;
}

/** One statement, so that the count is that of the very names. */
function standings(transaction: Statements, said: readonly SaidName[]): Promise<Standing[]> {
  return transaction.$queryRaw<Standing[]>`
    WITH said AS (
      SELECT n, key, dimension, 'epoch'::timestamptz + "at" * interval '1 millisecond' AS day, name
      FROM json_to_recordset(${postgresJson(said.map((one, n) => ({ ...one, n })))}::json) AS said (
        n int, key text, dimension text, "at" bigint, name text)
    )
    SELECT EXISTS (
        SELECT FROM usage_slice_day AS sum
        WHERE sum.key_id = said.key AND sum.dimension = said.dimension AND sum.at = said.day AND sum.name = said.name
      ) AS "isKnown", coalesce(counted.names, 0) AS names
    FROM said LEFT JOIN usage_slice_names AS counted
      ON counted.key_id = said.key AND counted.dimension = said.dimension AND counted.at = said.day
    ORDER BY n`;
}

/** Decides on names that may be new. */
async function takeIn(transaction: Statements, said: readonly SaidName[]): Promise<boolean[]> {
  await count(transaction, new Map(said.map((name) => [dayOf(name), { ...name, more: 0 }])));
  // Another statement: it sees what those took in who had the lock before.
  const found = await standings(transaction, said);
  const taken = new Map<string, SaidName & { more: number }>();
  const decided = said.map((name, index) => {
    const { isKnown, names } = found[index] ?? { isKnown: false, names: mostNames };
    const day = dayOf(name);
    const more = taken.get(day)?.more ?? 0;
    if (isKnown || names + more >= mostNames) return isKnown;
    taken.set(day, { ...name, more: more + 1 });
    return true;
  });
  if (taken.size > 0) await count(transaction, taken);
  return decided;
}

function dayOf({ key, dimension, at }: SaidName): string {
  return `${at} ${dimension} ${key}`;
}

/** Locks the counts of these days, and adds to them. */
async function count(transaction: Statements, days: ReadonlyMap<string, SaidName & { more: number }>): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO usage_slice_names AS counted (key_id, dimension, at, names)
    SELECT key, dimension, 'epoch'::timestamptz + "at" * interval '1 millisecond', more
    FROM json_to_recordset(${postgresJson([...days.values()])}::json) AS day (
      key text, dimension text, "at" bigint, more int)
    ORDER BY key, dimension, "at"
    ON CONFLICT (key_id, dimension, at) DO UPDATE SET names = counted.names + excluded.names`;
}
