import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import { entry } from '../ingest/fold-rows';

const dayMs = 86_400_000;

/**
 * The lengths of blocks, the longest first. Each starts at a multiple of its days since 1970, so that it is
 * four of the next shorter ones. A trigger of the database has the same.
 */
export const blockDays = [64, 16, 4, 1] as const;

/** Of rows of `usage_block`: that they count. */
export const isFresh = Prisma.sql`NOT EXISTS (SELECT FROM usage_block_stale AS stale WHERE stale.build = usage_block.build)`;

/** Those that hold sums by model and lines of charts: all but what older releases made. */
export const ofNewEdition = Prisma.sql`usage_block.edition >= 2`;

/** Those of everybody that hold what each key and account used of each model. */
export const ofOwnersEdition = Prisma.sql`usage_block.edition >= 5 AND usage_block.key_id = ${everybody}`;

/** [from, to), epoch milliseconds, of one key, or (null) of all that are read. */
export interface RowRange {
  key: string | null;
  from: number;
  to: number;
}

/** What days are read from: the sums of blocks, by their builds, and rows for all between them. */
export interface Cut {
  builds: bigint[];
  ranges: RowRange[];
}

/** Whose blocks: of all keys of an account, or of each of these keys. */
export interface BlockOwners {
  accountId?: string | undefined;
  keyIds?: readonly string[] | undefined;
}

/** A block that is there, as Postgres tells it. */
export interface MadeBlock {
  key: string;
  days: number;
  at: Date;
  build: bigint;
}

/**
 * Cuts whole days [from, to), epoch milliseconds, into blocks that count in this moment, and the rest.
 * `wanted`: into those of this edition.
 */
export async function cutIntoBlocks(
  queries: Statements,
  { accountId, keyIds }: BlockOwners,
  { from, to }: { from: number; to: number },
  wanted: Prisma.Sql = Prisma.sql`true`,
): Promise<Cut> {
  const ofAccount = accountId === undefined ? Prisma.empty : Prisma.sql`AND account_id = ${accountId}`;
  const made = await queries.$queryRaw<MadeBlock[]>`
    SELECT key_id AS key, days, at, build FROM usage_block
    WHERE key_id = ANY(${keyIds ?? ['']}) ${ofAccount} AND ${isFresh} AND ${wanted}
      AND at >= ${new Date(from)}::timestamptz AND at + days * interval '24 hours' <= ${new Date(to)}::timestamptz`;
  return cutOf(made, { keyIds }, { from, to });
}

/** The same by the blocks that are there. */
export function cutOf(
  made: readonly MadeBlock[],
  { keyIds }: Pick<BlockOwners, 'keyIds'>,
  days: { from: number; to: number },
): Cut {
  if (keyIds === undefined) return ofOwner(made, null, days);
  const ofKeys = new Map<string, MadeBlock[]>();
  for (const block of made) entry(ofKeys, block.key, () => []).push(block);
  const cuts = keyIds.map((key) => ofOwner(ofKeys.get(key) ?? [], key, days));
  return { builds: cuts.flatMap(({ builds }) => builds), ranges: cuts.flatMap(({ ranges }) => ranges) };
}

/** The longest block that starts where the last one ended, and rows where none does. */
function ofOwner(made: readonly MadeBlock[], key: string | null, { from, to }: { from: number; to: number }): Cut {
  const cut: Cut = { builds: [], ranges: [] };
  let at = from;
  for (const block of made.toSorted((one, other) => one.at.getTime() - other.at.getTime() || other.days - one.days)) {
    const startMs = block.at.getTime();
    if (startMs < at) continue;
    if (startMs > at) cut.ranges.push({ key, from: at, to: startMs });
    cut.builds.push(block.build);
    at = startMs + block.days * dayMs;
  }
  if (at < to) cut.ranges.push({ key, from: at, to });
  return cut;
}
