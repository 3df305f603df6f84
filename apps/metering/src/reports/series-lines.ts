import type { SeriesGroup } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { scopeConditions } from './scope';
import { dayMs, readingOf } from './series-days';
import type { DayPiece } from './series-days';
import type { SeriesQuestion } from './series-rows';

/**
 * Points of a line, each up to the minute `until` of its day. `name` null: of all together; with `isPart`
 * what a line has is a part of these, and is to be taken out of them.
 */
export interface LineRow {
  build: bigint;
  until: number;
  name: string | null;
  isPart: boolean;
  points: string;
}

/** Whose lines they are called by; those by key and account have names. */
const names: Record<SeriesGroup, Prisma.Sql> = {
  none: Prisma.sql`'all'`,
  model: Prisma.sql`model`,
  provider: Prisma.sql`provider`,
  key: Prisma.sql`name`,
  account: Prisma.sql`name`,
};

/** Lines of these keys or accounts, which are parts of all; all together; or those that are asked for. */
export type Lines = { owners: readonly string[] } | 'all' | 'divided';

/** What blocks have of these pieces. */
export async function lineRows(
  queries: Statements,
  pieces: readonly DayPiece[],
  question: SeriesQuestion,
  ...wanted: Lines[]
): Promise<LineRow[]> {
  if (pieces.length === 0) return [];
  const kinds = wanted.map((lines) =>
    typeof lines === 'string' ? ofAll(question, lines === 'all') : ofOwners(question, lines.owners),
  );
  const asked = distinct(pieces).map((piece) => ({ ...piece, owner: null, isOwn: false }));
  return readLines(queries, asked, kinds);
}

/**
 * The same of each of these keys or accounts, as parts of all. `own`: builds of all that one used. `builds`:
 * in place of which builds an owner has others.
 */
export async function ownerLineRows(
  queries: Statements,
  ofOwners: readonly {
    names: readonly string[];
    own: ReadonlySet<bigint>;
    builds: ReadonlyMap<string, ReadonlyMap<bigint, bigint>>;
    pieces: readonly DayPiece[];
  }[],
  question: SeriesQuestion,
): Promise<LineRow[]> {
  const asked = ofOwners.flatMap(({ names, own, builds, pieces }) =>
    distinct(pieces).flatMap((piece) =>
      names.map((owner) => {
        const build = builds.get(owner)?.get(piece.build) ?? piece.build;
        return { ...piece, build, owner, isOwn: own.has(piece.build) };
      }),
    ),
  );
  if (asked.length === 0) return [];
  const whose = Prisma.sql`
    dimension = CASE WHEN piece.own THEN 'all' ELSE ${question.groupBy} END AND name = CASE WHEN piece.own THEN '' ELSE piece.owner END`;
  const where = Prisma.sql`${whose} AND ${modelsOf(question, isUnfiltered(question))}`;
  return readLines(queries, asked, [{ name: Prisma.sql`piece.owner`, isPart: true, where }]);
}

/** `owner`: whose line is asked for, if anybody's; with `isOwn` it is that of all in the build. */
interface AskedPiece extends Pick<DayPiece, 'build' | 'until' | 'day' | 'inPoints'> {
  owner: string | null;
  isOwn: boolean;
}

/** Of pieces in points the day does not matter: they have many. */
function distinct(pieces: readonly DayPiece[]): DayPiece[] {
  return [...new Map(pieces.map((piece) => [readingOf(piece), piece])).values()];
}

function readLines(queries: Statements, asked: readonly AskedPiece[], kinds: readonly Kind[]): Promise<LineRow[]> {
  const [written, lined] = [asked.filter(({ inPoints }) => inPoints), asked.filter(({ inPoints }) => !inPoints)];
  const parts = kinds.flatMap((kind) => [
    ...(written.length > 0 ? [inPoints(written, kind)] : []),
    ...(lined.length > 0 ? [inLines(lined, kind)] : []),
  ]);
  return queries.$queryRaw<LineRow[]>(Prisma.join(parts, ' UNION ALL '));
}

/** Which lines: their name, whether they are parts of all, and the condition of their rows. */
interface Kind {
  name: Prisma.Sql;
  isPart: boolean;
  where: Prisma.Sql;
}

/** `isWhole`: models and providers are not told apart, as owners are. */
function ofAll(question: SeriesQuestion, isWhole: boolean): Kind {
  const { groupBy, keyIds } = question;
  const isOfAll = (isWhole || (groupBy !== 'model' && groupBy !== 'provider')) && isUnfiltered(question);
  const whose =
    keyIds === undefined
      ? Prisma.sql`dimension = 'all' AND name = ''`
      : Prisma.sql`dimension = 'key' AND name = ANY(${keyIds})`;
  const where = Prisma.sql`${whose} AND ${modelsOf(question, isOfAll)}`;
  return { name: isWhole ? Prisma.sql`NULL` : names[groupBy], isPart: false, where };
}

function ofOwners(question: SeriesQuestion, largest: readonly string[]): Kind {
  const { groupBy } = question;
  const where = Prisma.sql`dimension = ${groupBy} AND name = ANY(${largest}) AND ${modelsOf(question, isUnfiltered(question))}`;
  return { name: names[groupBy], isPart: true, where };
}

/** Of all models and providers. */
export function isUnfiltered({ model, provider }: SeriesQuestion): boolean {
  return model === undefined && provider === undefined;
}

/** A line of all models has these as their sum. */
function modelsOf({ model, provider }: SeriesQuestion, isOfAll: boolean): Prisma.Sql {
  if (isOfAll) return Prisma.sql`model = '*' AND provider = '*'`;
  return Prisma.sql`model <> '*' ${scopeConditions({ model, provider })}`;
}

function inPoints(pieces: readonly AskedPiece[], { name, isPart, where }: Kind): Prisma.Sql {
  return Prisma.sql`
    SELECT piece.build, piece.until, one.name, ${isPart}::boolean AS "isPart", one.points FROM ${piecesIn(pieces)}
    CROSS JOIN LATERAL (
      SELECT ${name} AS name, points FROM usage_block_points AS points
      WHERE points.build = piece.build AND points.until = piece.until AND ${where} OFFSET 0
    ) AS one`;
}

function inLines(pieces: readonly AskedPiece[], { name, isPart, where }: Kind): Prisma.Sql {
  return Prisma.sql`
    SELECT piece.build, piece.until, one.name, ${isPart}::boolean AS "isPart", one.points FROM ${piecesIn(pieces)}
    CROSS JOIN LATERAL (
      SELECT ${name} AS name, usage_block_point(piece.day, line) AS points FROM usage_block_line AS line
      WHERE line.build = piece.build AND line.until = piece.until / 60 AND ${where} OFFSET 0
    ) AS one`;
}

function piecesIn(pieces: readonly AskedPiece[]): Prisma.Sql {
  const columns = [
    Prisma.sql`${pieces.map(({ build }) => build)}::bigint[]`,
    Prisma.sql`${pieces.map(({ until }) => until)}::int[]`,
    Prisma.sql`${pieces.map(({ day }) => day / dayMs)}::int[]`,
    Prisma.sql`${pieces.map(({ owner }) => owner)}::text[]`,
    Prisma.sql`${pieces.map(({ isOwn }) => isOwn)}::boolean[]`,
  ];
  return Prisma.sql`unnest(${Prisma.join(columns)}) AS piece (build, until, day, owner, own)`;
}
