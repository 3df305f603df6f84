import type { SeriesGroup } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import { bothSpans, isWithin, RecentSpans, spansOf } from './bucket-spans';
import type { BucketSpan, BucketSpans, ToldBounds } from './bucket-spans';
import { scopeConditions } from './scope';
import type { Scope } from './scope';
import type { DayPart, DayRange, SeriesCut } from './series-days';
import type { SeriesWindow } from './series-window';

/**
 * What a series is asked for, beside its window. The smallest lines beyond `maxLines` are added up into one.
 */
export interface SeriesQuestion extends Scope {
  groupBy: SeriesGroup;
  maxLines: number;
  /** Only the rows of these keys or accounts are read, as parts of all. */
  owners?: readonly string[] | undefined;
}

/**
 * What a line has in a step that begins at `at` (epoch milliseconds), as `readPoints` reads it. `name` null:
 * all that is not among the largest.
 */
export interface StepRow {
  at: number;
  name: string | null;
  /** Of a part of what null has, which is to be taken out of it. */
  isPart: boolean;
  points: string;
}

/** The same, to be added to steps, or taken out of them (-1). */
export interface UsedRow extends Omit<StepRow, 'at'> {
  uses: DayPart['uses'];
}

/** Hours [from, to), epoch milliseconds, each of all of these keys or accounts. */
interface OwnersHours {
  names: readonly string[];
  hours: readonly DayRange[];
}

const groupColumns: Record<SeriesGroup, Prisma.Sql> = {
  none: Prisma.sql`'all'`,
  model: Prisma.sql`model`,
  provider: Prisma.sql`provider`,
  key: Prisma.sql`key_id`,
  account: Prisma.sql`account_id`,
};

const counts = [
  'requests',
  'failed',
  'cancelled',
  'cached_requests',
  'unpriced',
  'input_tokens',
  'output_tokens',
  'cached_input',
  'reasoning',
  'streamed_tokens',
  'streamed_ms',
  'cost_nano_usd',
];
const fields = Prisma.raw([...counts, 'latency', 'first_token'].join(', '));
const bounds = Prisma.raw(
  `ARRAY[${['latency', 'first_token'].flatMap((column) => [`min(array_lower(${column}, 1))`, `max(array_upper(${column}, 1))`]).join(', ')}]`,
);
/** Most buckets of most histograms are empty, and to add them up took longer than all else. */
const recentSpans = new RecentSpans();

/**
 * The sums of each step and line of what is read from rows by hour and minute. `largest`: the names of lines,
 * where these are known before; null: of the most costly, or, where blocks have some of their usage, of all.
 */
export async function stepRows(
  queries: Statements,
  window: SeriesWindow,
  cut: SeriesCut,
  question: SeriesQuestion,
  largest: string[] | null,
): Promise<StepRow[]> {
  if (cut.ranges.length === 0 && cut.byMinute.length === 0) return [];
  return summedRows(
    queries,
    (sums) => Prisma.sql`
      WITH part AS (${partsOf(window, cut, question)}),
      largest AS (${largestOf(cut, question, largest)})
      SELECT ${epochMs(Prisma.sql`part.at`)} AS at, largest.name, ${question.owners !== undefined}::boolean AS "isPart", ${sums}
      FROM part LEFT JOIN largest USING (name) GROUP BY part.at, largest.name HAVING sum(requests) <> 0`,
  );
}

/** What is read of parts of days from rows by hour, once for each step that it is added to or taken out of. */
export async function partRows(
  queries: Statements,
  window: SeriesWindow,
  { parts, pieces }: Pick<SeriesCut, 'pieces'> & { parts: readonly DayPart[] },
  question: SeriesQuestion,
  largest: string[] | null,
): Promise<UsedRow[]> {
  const ofParts = { ...window, bounds: parts.map(({ from }) => from) };
  const rows = await stepRows(queries, ofParts, { pieces, ranges: [...parts], byMinute: [] }, question, largest);
  const uses = new Map(parts.map((part) => [part.from, part.uses]));
  return rows.flatMap((row) => inSteps(row, uses));
}

/** What a part of days has, and the steps that it is added to or taken out of. `uses`: by its start. */
export function inSteps({ at, ...row }: StepRow, uses: ReadonlyMap<number, DayPart['uses']> | undefined): UsedRow[] {
  const ofPart = uses?.get(at) ?? [];
  return ofPart.length > 0 ? [{ ...row, uses: ofPart }] : [];
}

/** Of rows that are each of one step. */
export function inTheirSteps(rows: readonly StepRow[]): UsedRow[] {
  return rows.map(({ at, ...row }) => ({ ...row, uses: [{ step: at, sign: 1 }] }));
}

/** What keys or accounts used in hours of theirs, each by its start, as parts of all. */
export async function ownerHourRows(
  queries: Statements,
  question: SeriesQuestion,
  asked: readonly OwnersHours[],
): Promise<StepRow[]> {
  if (isNone(asked)) return [];
  return summedRows(
    queries,
    (sums) => Prisma.sql`
      SELECT span.from AS at, owner.name, true AS "isPart", ${sums}
      FROM ${spansIn(asked)}
      CROSS JOIN LATERAL (
        SELECT ${fields} FROM usage_hour
        WHERE ${ofSpan(question)} OFFSET 0
      ) AS hour
      GROUP BY span.from, owner.name HAVING sum(requests) <> 0`,
  );
}

/** The same of the hours that begin at `from`, by the minute, in the steps that they are of. */
export async function ownerMinuteRows(
  queries: Statements,
  window: SeriesWindow,
  question: SeriesQuestion,
  asked: readonly OwnersHours[],
): Promise<StepRow[]> {
  if (isNone(asked)) return [];
  return summedRows(
    queries,
    (sums) => Prisma.sql`
      SELECT ${epochMs(Prisma.sql`step`)} AS at, name, true AS "isPart", ${sums} FROM (
        SELECT owner.name, ${stepOf(window)} AS step, ${fields}
        FROM ${spansIn(asked)}
        CROSS JOIN LATERAL (
          SELECT at, ${fields} FROM usage_minute
          WHERE ${ofSpan(question)} AND ${isWithinWindow(window)} OFFSET 0
        ) AS minute
      ) AS part GROUP BY step, name HAVING sum(requests) <> 0`,
  );
}

function isNone(asked: readonly OwnersHours[]): boolean {
  return asked.every(({ names, hours }) => names.length === 0 || hours.length === 0);
}

/** Times are sent as numbers: to write thousands of them as text took as long as to read their rows. */
function spansIn(asked: readonly OwnersHours[]): Prisma.Sql {
  const names = asked.flatMap(({ names }, place) => names.map((name) => ({ place, name })));
  const spans = asked.flatMap(({ hours }, place) => hours.map((range) => ({ place, ...range })));
  return Prisma.sql`
    unnest(${names.map(({ place }) => place)}::int[], ${names.map(({ name }) => name)}::text[]) AS owner (place, name)
    JOIN unnest(${spans.map(({ place }) => place)}::int[], ${spans.map(({ from }) => from)}::float8[], ${spans.map(({ to }) => to)}::float8[])
      AS span (place, "from", "to") USING (place)`;
}

function epochMs(time: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(extract(epoch FROM ${time}) * 1000)::float8`;
}

/** The rows of an owner in a span of `spansIn`. */
function ofSpan(question: SeriesQuestion): Prisma.Sql {
  return Prisma.sql`
    ${groupColumns[question.groupBy]} = owner.name AND key_id <> ${everybody} ${scopeConditions(question)}
    AND at >= to_timestamp(span.from / 1000) AND at < to_timestamp(span.to / 1000)`;
}

function isWithinWindow({ from, to }: SeriesWindow): Prisma.Sql {
  return Prisma.sql`at >= ${new Date(from)}::timestamptz AND at < ${new Date(to)}::timestamptz`;
}

/**
 * Reads rows whose sums are of the buckets that had counts lately, and once more where these have others: the
 * bounds of all histograms are told beside.
 */
async function summedRows(queries: Statements, statement: (sums: Prisma.Sql) => Prisma.Sql): Promise<StepRow[]> {
  const read = (spans: BucketSpans) =>
    queries.$queryRaw<(StepRow & { bounds: ToldBounds })[]>(
      statement(Prisma.sql`${writtenOf(spans)} AS points, ${bounds} AS bounds`),
    );
  const guessed = recentSpans.guess();
  const rows = await read(guessed);
  const spans = spansOf(rows.map((row) => row.bounds));
  recentSpans.remember(spans);
  return isWithin(spans, guessed) ? rows : read(bothSpans(spans, guessed));
}

function largestOf({ pieces }: SeriesCut, question: SeriesQuestion, largest: string[] | null): Prisma.Sql {
  if (largest !== null) return Prisma.sql`SELECT unnest(${largest}::text[]) AS name`;
  if (pieces.length > 0) return Prisma.sql`SELECT DISTINCT name FROM part`;
  return mostCostly(question);
}

function mostCostly({ maxLines }: SeriesQuestion): Prisma.Sql {
  return Prisma.sql`SELECT name FROM part GROUP BY name ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, name COLLATE "C" LIMIT ${maxLines}`;
}

function writtenOf({ latency, firstToken }: BucketSpans): Prisma.Sql {
  const sums = counts.map((column) => `sum(${column})`).join(', ');
  return Prisma.raw(
    `concat_ws('/', 0, ${sums}, ${histogram('latency', latency)}, ${histogram('first_token', firstToken)})`,
  );
}

/** Adds up histograms bucket by bucket: a sum for each place is seven times as fast as adding up arrays. */
function histogram(column: 'latency' | 'first_token', { first, last }: BucketSpan): string {
  if (first > last) return `'{}'`;
  const places = Array.from({ length: last - first + 1 }, (_, place) => `sum(${column}[${first + place}])`);
  return `'[${first}:${last}]={' || array_to_string(ARRAY[${places.join(', ')}], ',', '0') || '}'`;
}

/** By the hour, and by the minute what a bound or the window cuts. */
function partsOf(window: SeriesWindow, { ranges, byMinute }: SeriesCut, question: SeriesQuestion): Prisma.Sql {
  if (window.step === 'minute') return minutesOf(window, question, []);
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  const ofHours = Prisma.sql`
    SELECT ${stepOf(window)} AS at, ${groupColumns[question.groupBy]} AS name, ${fields}
    FROM unnest(${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS range ("from", "to") CROSS JOIN LATERAL (
      SELECT * FROM usage_hour WHERE at >= range.from AND at < range.to ${conditionsOf(question)}
        AND at <> ALL(${byMinute.map((hour) => new Date(hour))}::timestamptz[]) OFFSET 0
    ) AS hour`;
  if (byMinute.length === 0) return ofHours;
  return Prisma.sql`${ofHours} UNION ALL ${minutesOf(window, question, byMinute)}`;
}

/** Within the window; of these hours, where there are any. */
function minutesOf(window: SeriesWindow, question: SeriesQuestion, hours: readonly number[]): Prisma.Sql {
  const within = Prisma.sql`${isWithinWindow(window)} ${conditionsOf(question)}`;
  const minutes =
    hours.length === 0
      ? Prisma.sql`usage_minute WHERE ${within}`
      : Prisma.sql`unnest(${hours.map((hour) => new Date(hour))}::timestamptz[]) AS cut (hour) CROSS JOIN LATERAL (
          SELECT * FROM usage_minute WHERE at >= cut.hour AND at < cut.hour + interval '1 hour' AND ${within} OFFSET 0) AS minute`;
  return Prisma.sql`
    SELECT ${stepOf(window)} AS at, ${groupColumns[question.groupBy]} AS name, ${fields} FROM ${minutes}`;
}

function stepOf({ step, bounds }: SeriesWindow): Prisma.Sql {
  if (step !== 'day') return Prisma.sql`date_trunc(${step}, at, 'UTC')`;
  const days = Prisma.sql`${bounds.map((bound) => new Date(bound))}::timestamptz[]`;
  return Prisma.sql`(${days})[width_bucket(at, ${days})]`;
}

/** Where it does not matter whose usage it is, the rows of everybody have it. */
function conditionsOf(question: SeriesQuestion): Prisma.Sql {
  const { keyIds, accountId, groupBy, owners } = question;
  const scope = scopeConditions(question);
  if (owners !== undefined)
    return Prisma.sql`${scope} AND ${groupColumns[groupBy]} = ANY(${owners}::text[]) AND key_id <> ${everybody}`;
  if (keyIds !== undefined || accountId !== undefined) return scope;
  const byOwner = groupBy === 'key' || groupBy === 'account';
  const key = byOwner ? Prisma.sql`key_id <> ${everybody}` : Prisma.sql`key_id = ${everybody}`;
  return Prisma.sql`${scope} AND ${key}`;
}
