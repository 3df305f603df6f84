import { errorCauses, errorCodes } from './error-causes';

/**
 * Codes that mean "not now": Node's network errors; Postgres's classes of connections (08), resources (53),
 * shutdown (57P) and failing systems (58, a full or broken disk), and 25006, a server that is a standby; and
 * Prisma's own (P1001 not reachable, P1002 and P1008 timed out, P1017 closed, P2024 no connection in time,
 * P2028 no transaction in time).
 */
const codePattern =
  /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN)\w*|08\w{3}|25006|53\w{3}|57P\w{2}|57014|58\w{3}|P10(01|02|08|17)|P2024|P2028)$/;
/** What pg and Prisma's adapter say where they give no code. */
const messagePattern =
  /connection terminated|is not queryable|connection timeout|timeout expired|timeout exceeded when trying to connect|query read timeout|server has closed the connection|ConnectionClosed|DatabaseNotReachable|SocketTimeout/i;

/**
 * Data exceptions (22), violated constraints (23) and values beyond Postgres's limits (54):
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const refusedPattern = /^(22|23|54)\w{3}$/;

/**
 * True when a query failed because Postgres is away, starting, stopping or too slow: the same query may
 * succeed later.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (errorCodes(error).some((code) => codePattern.test(code))) return true;
  return [...errorCauses(error)].some(
    (cause) =>
      (cause instanceof AggregateError && cause.errors.some(isDatabaseUnavailable)) ||
      ('message' in cause && typeof cause.message === 'string' && messagePattern.test(cause.message)),
  );
}

/** True when Postgres refused the values of a query: the same query will never succeed. */
export function isDataRefused(error: unknown): boolean {
  return errorCodes(error).some((code) => refusedPattern.test(code));
}

/** True for the text of a UUID. Postgres refuses a whole query when a parameter is none. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Whether a statement took too long and was given up, by Postgres or by the driver (`query_timeout`). */
export function isStatementTimeout(error: unknown): boolean {
  if (errorCodes(error).includes('57014')) return true;
  return [...errorCauses(error)].some(
    (cause) => 'message' in cause && typeof cause.message === 'string' && /query read timeout/i.test(cause.message),
  );
}

/**
 * Whether a transaction of one moment would have changed what another has changed since (40001, Prisma's
 * P2034): it may be tried again.
 */
export function isWriteConflict(error: unknown): boolean {
  return errorCodes(error).some((code) => code === '40001' || code === 'P2034');
}

/** Whether a query asked for a table that there is not: of a database that is still to be migrated, say. */
export function isTableMissing(error: unknown): boolean {
  return errorCodes(error).some((code) => code === '42P01' || code === 'P2021');
}
