import { ControlError, lastMs } from '@tollgate/contracts';
import { responseCacheProvider, sliceDimensions } from '@tollgate/contracts/metering';
import type { LoggedRequest, RequestOrder, SliceDimension } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { UsageEventModel } from '@tollgate/database/metering';
import type { Database, Queries } from '@tollgate/database';
import { providerInSql, providerOf } from '../ingest/fold-rows';
import { toStoredEvent } from '../ledger/find-events';
import type { StoredEvent } from '../ledger/find-events';
import type { ReportRequest } from '../operations';
import { ofOneMoment } from '../one-moment';
import { others } from '../slices/slice-changes';
import { withDays } from '../slices/slices-report';
import { wholeOfKeys, wholeUnits } from '../slices/slice-rows';

type Question = ReportRequest<'listRequests'>;

/**
 * Requests begin at most this long before they end: their ids, which order the table's partitions, hold when
 * they began.
 */
const longestMs = 86_400_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** By so much the clock that an id holds may be ahead of the one that told the request's end. */
const skewMs = 60_000;

/** Where a page ends: the end of its last request (epoch milliseconds) and its id. */
interface Cursor {
  endedAt: number;
  id: string;
}

/** Logged requests of a window that are looked through for words, the newest: each may be 128 kB. */
const mostLookedThrough = 1_000;

/** `namesSinceMs`: of older days it is not kept which names were said, epoch milliseconds. */
interface LogOptions {
  mostSearched?: number;
  namesSinceMs?: number;
}

/**
 * One page of single requests. Those of known keys come newest end first, from an index of each key's events;
 * those of everybody newest start first, in the order of the table itself. Either way a page costs what it
 * shows, and what its filters pass over.
 * @throws ControlError `invalid` for an `after` that no page gave.
 */
export async function listRequests(
  database: Database<'metering'>,
  question: Question,
  { mostSearched = mostLookedThrough, namesSinceMs = 0 }: LogOptions = {},
): Promise<{ requests: LoggedRequest[]; next: string | null; orderedBy: RequestOrder; searchedBack: number | null }> {
  const { accountId, said } = question;
  const keyIds =
    question.keyIds ?? (said === undefined ? undefined : ((await keysOf(database, question)) ?? undefined));
  const cursor = question.after === undefined ? null : readCursor(question.after);
  const searchedBack = await searchedBackTo(database, { ...question, keyIds }, mostSearched);
  const asked = { ...question, keyIds, startAt: Math.max(question.startAt, searchedBack ?? 0) };
  const isInParts = keyIds ? namesOf(question).length > 0 : accountId !== undefined;
  const page = isInParts
    ? await ofOneMoment(database, (queries) => pageInParts(queries, asked, cursor, namesSinceMs))
    : await database.$queryRaw<UsageEventModel[]>(newestRequests(keyIds ?? null, asked, cursor));
  const shown = page.slice(0, question.limit).map(toStoredEvent);
  const last = page.length > question.limit ? shown.at(-1)?.event : undefined;
  const next = last ? `${last.endedAt}.${last.id}` : null;
  const orderedBy = keyIds || accountId !== undefined ? 'endedAt' : 'startedAt';
  return { requests: shown.map(toLoggedRequest), next, orderedBy, searchedBack };
}

/** What a request must say. */
interface WantedName {
  dimension: SliceDimension;
  name: string;
}

function namesOf({ endUser, session, agent, tag }: Question): WantedName[] {
  const said = { end_user: endUser, session, agent, tag };
  return sliceDimensions.flatMap((dimension) => {
    const name = said[dimension];
    return name === undefined ? [] : [{ dimension, name }];
  });
}

/**
 * One event more than `limit`, newest end first, of these keys, or of those that an account had. The newest
 * days are looked through before more and more of older ones, and of each only keys that were used then, and
 * that may have said what is asked for: many keys never say a name.
 */
async function pageInParts(
  queries: Queries<'metering'>,
  question: Question,
  cursor: Cursor | null,
  namesSinceMs: number,
): Promise<UsageEventModel[]> {
  const names = namesOf(question);
  const page: UsageEventModel[] = [];
  const tomorrow = dayOf(Date.now()) + dayMs;
  let [to, days] = [Math.min(question.endAt, lastMs, (cursor?.endedAt ?? lastMs) + 1), 1];
  while (to > question.startAt && page.length <= question.limit) {
    const further = to > tomorrow ? tomorrow : dayOf(to - 1) - (days - 1) * dayMs;
    const from = Math.max(question.startAt, further, to > namesSinceMs ? namesSinceMs : 0);
    if (to <= tomorrow) days *= 2;
    const part = { ...question, startAt: from, endAt: to, limit: question.limit - page.length };
    const keyIds = question.keyIds ?? (await keysWithin(queries, part));
    const areSaid = names.length > 0 && to > namesSinceMs;
    const keys = areSaid ? keysThatSay(keyIds, names, { from, to }) : wholeKeys(keyIds);
    const newest = newestOf(keys, { ...part, keyIds }, cursor);
    page.push(...(await queries.$queryRaw<UsageEventModel[]>`${newest} LIMIT ${part.limit + 1}`));
    to = from;
  }
  return page;
}

function dayOf(time: number): number {
  return time - (time % dayMs);
}

/** A table of keys (`wanted`), and the condition of the events of each that are read. */
interface KeysRead {
  table: Prisma.Sql;
  within: Prisma.Sql;
}

function wholeKeys(keyIds: readonly string[]): KeysRead {
  return { table: Prisma.sql`unnest(${keyIds}::text[]) AS wanted`, within: Prisma.empty };
}

/**
 * Keys, each from the first to the last time at which it may have requests that say these names. Answers from
 * the response cache are in no slice: of hours that have some it is not known what they say.
 */
function keysThatSay(
  keyIds: string[],
  names: readonly WantedName[],
  { from, to }: { from: number; to: number },
): KeysRead {
  const at = (time: number) => Prisma.sql`${new Date(time)}::timestamptz`;
  const said = names.map(
    ({ dimension, name }) => Prisma.sql`CROSS JOIN LATERAL (
      SELECT FROM usage_slice_day AS slice WHERE slice.key_id = wanted AND slice.dimension = ${dimension} AND slice.at = day.at
        AND slice.name IN (${name}, ${others}) LIMIT 1
    ) AS ${Prisma.raw(dimension)}`,
  );
  const parts = Prisma.sql`
    SELECT wanted, day.at AS "from", day.at + interval '24 hours' AS "to" FROM unnest(${keyIds}::text[]) AS wanted
    CROSS JOIN LATERAL (
      SELECT at FROM usage_slice_names WHERE key_id = wanted AND dimension = ${names[0]?.dimension}
        AND at >= ${at(dayOf(from))} AND at < ${at(to)} OFFSET 0
    ) AS day ${Prisma.join(said, ' ')}
    UNION ALL
    SELECT wanted, hour.at, hour.at + interval '1 hour' FROM unnest(${keyIds}::text[]) AS wanted
    CROSS JOIN LATERAL (
      SELECT at FROM usage_hour WHERE key_id = wanted AND provider = ${cacheInSql}
        AND at >= ${at(from - (from % hourMs))} AND at < ${at(to)} OFFSET 0
    ) AS hour`;
  return {
    table: Prisma.sql`(SELECT wanted, min("from") AS "from", max("to") AS "to" FROM (${parts}) AS part GROUP BY wanted) AS part`,
    within: Prisma.sql`AND ended_at >= part."from" AND ended_at < part."to"`,
  };
}

/** Written out, so that Postgres knows that the index of these rows has them. */
const cacheInSql = Prisma.raw(`'${responseCacheProvider}'`);

/**
 * Selects one event more than `limit`, under Prisma's names: of these keys newest end first, or (null) of
 * everybody newest start first; those before the cursor where there is one. `most`: in all, where `limit` is
 * that of each key.
 */
export function newestRequests(
  keyIds: string[] | null,
  question: Omit<Question, 'after'>,
  cursor: Cursor | null = null,
  most = question.limit + 1,
): Prisma.Sql {
  const selected = keyIds
    ? newestOf(wholeKeys(keyIds), { ...question, keyIds }, cursor)
    : ofEverybody(question, cursor);
  return Prisma.sql`${selected} LIMIT ${most}`;
}

/**
 * The keys that had requests of an account within the window or its hours; null: whose requests they are does
 * not matter.
 */
export async function keysOf(
  database: Database<'metering'>,
  { accountId, ...window }: Pick<Question, 'accountId' | 'startAt' | 'endAt'>,
): Promise<string[] | null> {
  if (accountId === undefined) return null;
  return ofOneMoment(database, (queries) => keysWithin(queries, { accountId, ...window }));
}

/** From blocks of days and rows by hour. */
async function keysWithin(
  queries: Queries<'metering'>,
  { accountId, startAt, endAt }: Pick<Question, 'accountId' | 'startAt' | 'endAt'>,
): Promise<string[]> {
  const window = wholeUnits(startAt, Math.min(endAt, lastMs), hourMs);
  if (window.start >= window.end) return [];
  const ofKeys = await wholeOfKeys(queries, await withDays(queries, window, { accountId }), { accountId });
  return ofKeys.map(({ key }) => key);
}

function newestOf({ table, within }: KeysRead, question: Omit<Question, 'after'>, cursor: Cursor | null): Prisma.Sql {
  const after = cursor
    ? Prisma.sql`AND (ended_at, id) < (${new Date(cursor.endedAt)}::timestamptz, ${cursor.id}::uuid)`
    : Prisma.empty;
  return Prisma.sql`
    SELECT event.* FROM ${table} CROSS JOIN LATERAL (
      SELECT ${columns} FROM usage_event WHERE key_id = wanted ${within} ${conditions(question)} ${after}
      ORDER BY ended_at DESC, id DESC LIMIT ${question.limit + 1}
    ) AS event ORDER BY event."endedAt" DESC, event.id DESC`;
}

function ofEverybody(question: Omit<Question, 'after'>, cursor: Cursor | null): Prisma.Sql {
  const after = cursor ? Prisma.sql`AND id < ${cursor.id}::uuid` : Prisma.empty;
  // Without these bounds a window that lies back would pass over everything of its month that is newer.
  return Prisma.sql`SELECT ${columns} FROM usage_event WHERE id >= ${firstIdAt(question.startAt - longestMs)}::uuid
    AND id < ${firstIdAt(question.endAt + skewMs)}::uuid ${conditions(question)} ${after} ORDER BY id DESC`;
}

/**
 * The smallest id that a request can have which begins at this time (epoch milliseconds): ids are UUIDs of
 * version 7.
 */
function firstIdAt(ms: number): string {
  const time = Math.min(Math.max(0, ms), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

function conditions(question: Omit<Question, 'after'>): Prisma.Sql {
  const { startAt, endAt, ...wanted } = question;
  return Prisma.sql`AND ended_at >= ${new Date(startAt)}::timestamptz AND ended_at < ${new Date(endAt)}::timestamptz
    AND born_at >= ${new Date(startAt - longestMs)}::timestamptz AND born_at < ${new Date(Math.min(endAt + longestMs, lastMs))}::timestamptz
    ${narrowed(wanted)} ${saidIn(question)}`;
}

/** Since when the newest logged requests ended that are looked through; null: those of the whole window. */
async function searchedBackTo(
  database: Queries<'metering'>,
  { said, accountId, keyIds, startAt, endAt }: Question,
  most: number,
): Promise<number | null> {
  if (said === undefined) return null;
  const [last, older] = await database.$queryRaw<{ endedAt: Date }[]>`
    SELECT ended_at AS "endedAt" FROM content_log WHERE ${logged({ accountId, keyIds, startAt, endAt })}
    ORDER BY ended_at DESC OFFSET ${most - 1} LIMIT 2`;
  return last && older ? last.endedAt.getTime() : null;
}

/** Of the log of contents: what is kept of requests that ended in a window, of these keys of an account. */
function logged({
  accountId,
  keyIds = [],
  startAt,
  endAt,
}: Pick<Question, 'accountId' | 'keyIds' | 'startAt' | 'endAt'>): Prisma.Sql {
  if (accountId === undefined) throw new ControlError('invalid', 'said goes with an account only.');
  return Prisma.sql`key_id = ANY(${keyIds}) AND account_id = ${accountId} AND expires_at > now()
    AND ended_at >= ${new Date(startAt)}::timestamptz AND ended_at < ${new Date(endAt)}::timestamptz`;
}

/** That a text occurs in what was logged. Bodies are JSON, in which it is written as JSON writes it. */
function saidIn(question: Omit<Question, 'after'>): Prisma.Sql {
  if (question.said === undefined) return Prisma.empty;
  const written = JSON.stringify(question.said).slice(1, -1);
  return Prisma.sql`AND id IN (
    SELECT id FROM content_log WHERE ${logged(question)}
      AND (strpos(lower(request), lower(${written})) > 0 OR strpos(lower(answer), lower(${written})) > 0))`;
}

/** Each condition with AND in front. An account is one also where keys are named: they may be another's. */
export function narrowed(wanted: Omit<Question, 'after' | 'startAt' | 'endAt' | 'limit'>): Prisma.Sql {
  const { accountId, state, status, requestId, idPart, id, model, provider, surface } = wanted;
  const { endUser, session, agent, tag, error, atLeastMs } = wanted;
  const all = [
    ...(accountId === undefined ? [] : [Prisma.sql`AND account_id = ${accountId}`]),
    ...(state === undefined ? [] : [Prisma.sql`AND state = ${state}`]),
    ...(status === undefined ? [] : [Prisma.sql`AND status = ${status}`]),
    ...(requestId === undefined ? [] : [Prisma.sql`AND request_id = ${requestId}`]),
    ...(idPart === undefined
      ? []
      : [Prisma.sql`AND (strpos(request_id, ${idPart}) > 0 OR strpos(id::text, ${idPart}) > 0)`]),
    ...(id === undefined ? [] : [Prisma.sql`AND id = ${id}::uuid`]),
    ...(model === undefined ? [] : [Prisma.sql`AND model = ${model}`]),
    ...(provider === undefined ? [] : [Prisma.sql`AND ${providerInSql} = ${provider}`]),
    ...(surface === undefined ? [] : [Prisma.sql`AND surface = ${surface}`]),
    ...(endUser === undefined ? [] : [Prisma.sql`AND end_user = ${endUser}`]),
    ...(session === undefined ? [] : [Prisma.sql`AND session = ${session}`]),
    ...(agent === undefined ? [] : [Prisma.sql`AND agent = ${agent}`]),
    ...(tag === undefined ? [] : [Prisma.sql`AND ${tag} = ANY(tags)`]),
    ...(error === undefined ? [] : [Prisma.sql`AND attempts->-1->>'error' = ${error}`]),
    ...(atLeastMs === undefined
      ? []
      : [Prisma.sql`AND ended_at - started_at >= ${atLeastMs} * interval '1 millisecond'`]),
  ];
  return all.length === 0 ? Prisma.empty : Prisma.join(all, ' ');
}

function readCursor(after: string): Cursor {
  const [, endedAt, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(after) ?? [];
  if (endedAt === undefined || id === undefined)
    throw new ControlError('invalid', 'after must be the `next` of an earlier page.');
  return { endedAt: Number(endedAt), id };
}

function toLoggedRequest({ event, costNanoUsd }: StoredEvent): LoggedRequest {
  const { lease: _lease, reserved: _reserved, reportedBy: _reportedBy, ...shown } = event;
  return { ...shown, provider: providerOf(event) || null, costNanoUsd: costNanoUsd?.toString() ?? null };
}

/** The columns of an event under Prisma's names. */
const columns = Prisma.sql`
  id, born_at AS "bornAt", request_id AS "requestId", key_id AS "keyId", account_id AS "accountId",
  requested_model AS "requestedModel", model, surface, stream, state, status, estimated, input_tokens AS "inputTokens",
  output_tokens AS "outputTokens", cached_input AS "cachedInput", cache_write_5m AS "cacheWrite5m",
  cache_write_1h AS "cacheWrite1h", reasoning, audio_input AS "audioInput", audio_output AS "audioOutput", attempts,
  started_at AS "startedAt", first_token_at AS "firstTokenAt", ended_at AS "endedAt", lease, reserved, reported_by AS "reportedBy",
  cached, served, end_user AS "endUser", session, agent, coalesce(tags, '{}') AS tags, price_id AS "priceId", cost_nano_usd AS "costNanoUsd", recorded_at AS "recordedAt"`;
