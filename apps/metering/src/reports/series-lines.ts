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
  const asked = distinct(pieces).map((piece) => ({ ...piece, isOwn: false }));
  return readLines(queries, [{ names: null, pieces: asked }], kinds);
}

/** Pieces that these keys or accounts have, each of them all. */
export interface OwnersPieces {
  names: readonly string[];
  pieces: readonly DayPiece[];
  /** Builds of all that one used. */
  own: ReadonlySet<bigint>;
  /** In place of which builds an owner has others. */
  builds: ReadonlyMap<string, ReadonlyMap<bigint, bigint>>;
}

/** What blocks have of these pieces, as parts of all. */
export async function ownerLineRows(
  queries: Statements,
  ofOwners: readonly OwnersPieces[],
  question: SeriesQuestion,
): Promise<LineRow[]> {
  const asked = ofOwners.flatMap(askedOf);
  if (asked.every(({ pieces }) => pieces.length === 0)) return [];
  const whose = Prisma.sql`
    dimension = CASE WHEN piece.own THEN 'all' ELSE ${question.groupBy} END AND name = CASE WHEN piece.own THEN '' ELSE owner.name END`;
  const where = Prisma.sql`${whose} AND ${modelsOf(question, isUnfiltered(question))}`;
  return readLines(queries, asked, [{ name: Prisma.sql`owner.name`, isPart: true, where }]);
}

/** Who has builds of their own has pieces of their own. */
function askedOf({ names, pieces, own, builds }: OwnersPieces): AskedPieces[] {
  const asked = distinct(pieces).map((piece) => ({ ...piece, isOwn: own.has(piece.build) }));
  const alike = names.filter((name) => !builds.has(name));
  const others = [...builds]
    .filter(([name]) => names.includes(name))
    .map(([name, inPlace]) => ({
      names: [name],
      pieces: asked.map((piece) => ({ ...piece, build: inPlace.get(piece.build) ?? piece.build })),
    }));
  return alike.length > 0 ? [{ names: alike, pieces: asked }, ...others] : others;
}

/** `names`: whose lines of these pieces are asked for; null: nobody's in particular. */
interface AskedPieces {
  names: readonly string[] | null;
  pieces: readonly AskedPiece[];
}

/** `isOwn`: the line of all in the build is the owner's. */
interface AskedPiece extends Pick<DayPiece, 'build' | 'until' | 'day' | 'inPoints'> {
  isOwn: boolean;
}

/** Of pieces in points the day does not matter: they have many. */
function distinct(pieces: readonly DayPiece[]): DayPiece[] {
  return [...new Map(pieces.map((piece) => [readingOf(piece), piece])).values()];
}

function readLines(queries: Statements, asked: readonly AskedPieces[], kinds: readonly Kind[]): Promise<LineRow[]> {
  const thatAre = (wanted: boolean): AskedPieces[] =>
    asked.flatMap(({ names, pieces }) => {
      const ofKind = pieces.filter(({ inPoints }) => inPoints === wanted);
      return ofKind.length > 0 ? [{ names, pieces: ofKind }] : [];
    });
  const [written, lined] = [thatAre(true), thatAre(false)];
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

function inPoints(asked: readonly AskedPieces[], { name, isPart, where }: Kind): Prisma.Sql {
  return Prisma.sql`
    SELECT piece.build, piece.until, one.name, ${isPart}::boolean AS "isPart", one.points FROM ${piecesIn(asked)}
    CROSS JOIN LATERAL (
      SELECT ${name} AS name, points FROM usage_block_points AS points
      WHERE points.build = piece.build AND points.until = piece.until AND ${where} OFFSET 0
    ) AS one`;
}

function inLines(asked: readonly AskedPieces[], { name, isPart, where }: Kind): Prisma.Sql {
  return Prisma.sql`
    SELECT piece.build, piece.until, one.name, ${isPart}::boolean AS "isPart", one.points FROM ${piecesIn(asked)}
    CROSS JOIN LATERAL (
      SELECT ${name} AS name, usage_block_point(piece.day, line) AS points FROM usage_block_line AS line
      WHERE line.build = piece.build AND line.until = piece.until / 60 AND ${where} OFFSET 0
    ) AS one`;
}

/** Names are sent once, beside the pieces: with each of thousands of these they took long. */
function piecesIn(asked: readonly AskedPieces[]): Prisma.Sql {
  const pieces = asked.flatMap((of, place) => of.pieces.map((piece) => ({ ...piece, place })));
  const columns = [
    Prisma.sql`${pieces.map(({ place }) => place)}::int[]`,
    Prisma.sql`${pieces.map(({ build }) => build)}::bigint[]`,
    Prisma.sql`${pieces.map(({ until }) => until)}::int[]`,
    Prisma.sql`${pieces.map(({ day }) => day / dayMs)}::int[]`,
    Prisma.sql`${pieces.map(({ isOwn }) => isOwn)}::boolean[]`,
  ];
  const piece = Prisma.sql`unnest(${Prisma.join(columns)}) AS piece (place, build, until, day, own)`;
  const owners = asked.flatMap(({ names }, place) => (names ?? []).map((name) => ({ name, place })));
  if (owners.length === 0) return piece;
  return Prisma.sql`
    unnest(${owners.map(({ place }) => place)}::int[], ${owners.map(({ name }) => name)}::text[]) AS owner (place, name)
    JOIN ${piece} USING (place)`;
}
