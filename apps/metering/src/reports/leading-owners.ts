import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { LruMap } from '@tollgate/messaging';
import { addedUp, blocksOf, sumsOf } from './owner-sums';
import type { OwnersQuestion } from './owner-sums';

/** So many of each block come into question, at least, and twice as many as are asked for. */
const fewestPlaces = 50;
/** So many of a model are kept in memory of each set of blocks. */
const mostKept = 300;
/** So many sets are kept, those that were asked for last: some megabytes. */
const mostSets = 64;

/**
 * Who comes into question for the largest of a set of blocks, with what they used in these. Nobody else used
 * more than a bound in all of them together, by cost.
 */
export interface LeadingOwners {
  /** Rows of `name`, `requests` and `cost`, one of each name. */
  names: Prisma.Sql;
  /** One row: the bound (`cost`), and whether there is anybody else (`is_cut`). */
  bound: Prisma.Sql;
  /** Rows as blocks have them of the names in `more`, who are not among these. */
  sumsOfMore: Prisma.Sql;
  /** In whose accounts a key used what blocks have; '' is no account. */
  accountsOf: ReadonlyMap<string, readonly string[]>;
}

/**
 * Looks for them without reading what all have used in all blocks: by their places in each of the blocks, or,
 * where blocks have no places, in what was found in the same blocks before.
 */
export async function leadingOwners(
  queries: Statements,
  builds: readonly bigint[],
  question: OwnersQuestion,
  most: number,
): Promise<LeadingOwners> {
  const sums = sumsOf(question);
  if (sums !== null) return byPlaces(Prisma.sql`${sums} AND build = ANY(${builds}::bigint[])`, most);
  return ofModel(await keptOwners.read(queries, builds, question), builds, question);
}

/** Who has none of the first places in any block has at most what the last of these has in each. */
function byPlaces(sums: Prisma.Sql, most: number): LeadingOwners {
  const places = Math.max(fewestPlaces, 2 * most);
  const sumsOfNames = (names: Prisma.Sql) => Prisma.sql`
    SELECT asked.name, used.* FROM (${names}) AS asked CROSS JOIN LATERAL (
      SELECT sum(requests) AS requests, sum(cost_nano_usd) AS cost FROM ${sums} AND name = asked.name OFFSET 0
    ) AS used WHERE used.cost IS NOT NULL`;
  return {
    names: sumsOfNames(Prisma.sql`SELECT DISTINCT name FROM ${sums} AND place <= ${places}`),
    bound: Prisma.sql`
      SELECT coalesce(sum(greatest(cost_nano_usd, 0)), 0) AS cost, count(*) > 0 AS is_cut FROM ${sums} AND place = ${places}`,
    sumsOfMore: Prisma.sql`
      SELECT name, NULL::text AS account, requests, cost AS cost_nano_usd FROM (${sumsOfNames(Prisma.sql`SELECT name FROM more`)}) AS one`,
    accountsOf: new Map(),
  };
}

function ofModel({ leading, next }: KeptOwners, builds: readonly bigint[], question: OwnersQuestion): LeadingOwners {
  const columns = [
    Prisma.sql`${leading.map(({ name }) => name)}::text[]`,
    Prisma.sql`${leading.map(({ requests }) => requests)}::bigint[]`,
    Prisma.sql`${leading.map(({ cost }) => cost)}::numeric[]`,
  ];
  return {
    names: Prisma.sql`SELECT * FROM unnest(${Prisma.join(columns)}) AS kept (name, requests, cost)`,
    bound: Prisma.sql`SELECT greatest(${next ?? '0'}::numeric, 0) AS cost, ${next !== null}::boolean AS is_cut`,
    // Not asked where nobody else is in these blocks, or nobody is asked for.
    sumsOfMore: Prisma.sql`
      SELECT one.* FROM (${blocksOf(builds, question)}) AS one
      WHERE (SELECT is_cut FROM bound) AND EXISTS (SELECT FROM more) AND name IN (SELECT name FROM more)`,
    accountsOf: new Map(leading.map(({ name, accountIds }) => [name, accountIds])),
  };
}

/** What blocks have of the largest of a model. `next`: what the next one has; null: there is none. */
interface KeptOwners {
  leading: readonly { name: string; accountIds: string[]; requests: bigint; cost: string }[];
  next: string | null;
}

/**
 * The largest of a model in sets of blocks, as these are now: a set is known by its blocks and the versions
 * (`xmin`) of their rows, which each transaction that fills one changes. Versions are those of a database
 * since its server began: after it another may have the same.
 */
class KeptLeading {
  private readonly sets = new LruMap<KeptOwners>(mostSets);

  async read(queries: Statements, builds: readonly bigint[], question: OwnersQuestion): Promise<KeptOwners> {
    const [{ versions } = { versions: '' }] = await queries.$queryRaw<{ versions: string }[]>`
      SELECT concat_ws(' ', current_database(), pg_postmaster_start_time(), string_agg(concat(build, ':', xmin), ' ' ORDER BY build)) AS versions
      FROM usage_block WHERE build = ANY(${builds}::bigint[])`;
    const set = JSON.stringify([versions, question.groupBy, question.model]);
    const known = this.sets.get(set);
    if (known) return known;
    const kept = await readLeading(queries, builds, question);
    this.sets.set(set, kept);
    return kept;
  }
}

const keptOwners = new KeptLeading();

async function readLeading(
  queries: Statements,
  builds: readonly bigint[],
  question: OwnersQuestion,
): Promise<KeptOwners> {
  const leading = await queries.$queryRaw<KeptOwners['leading'][number][]>`
    SELECT name, array_remove(array_agg(account), NULL) AS "accountIds", sum(requests)::bigint AS requests, sum(cost_nano_usd)::text AS cost
    FROM (${addedUp(blocksOf(builds, question))}) AS one GROUP BY name
    ORDER BY sum(cost_nano_usd) DESC LIMIT ${mostKept + 1}`;
  return { leading: leading.slice(0, mostKept), next: leading[mostKept]?.cost ?? null };
}
