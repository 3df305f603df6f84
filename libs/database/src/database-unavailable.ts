/**
 * Codes that mean "not now": Node's network errors, Postgres's connection and shutdown classes (08, 53, 57P) and Prisma's own
 * (P1001 not reachable, P1002 and P1008 timed out, P1017 closed, P2024 no connection in time, P2028 no transaction in time).
 */
const codePattern =
  /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN)\w*|08\w{3}|53\w{3}|57P\w{2}|57014|P10(01|02|08|17)|P2024|P2028)$/;
/** What pg and Prisma's adapter say where they give no code. */
const messagePattern =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|query read timeout|server has closed the connection|ConnectionClosed|DatabaseNotReachable|SocketTimeout/i;

/** True when a query failed because Postgres is away, starting, stopping or too slow: the same query may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Object && depth < 5; depth++) {
    if (cause instanceof AggregateError && cause.errors.some(isDatabaseUnavailable)) return true;
    if ('code' in cause && typeof cause.code === 'string' && codePattern.test(cause.code)) return true;
    if ('message' in cause && typeof cause.message === 'string' && messagePattern.test(cause.message)) return true;
    cause = 'cause' in cause ? cause.cause : 'meta' in cause ? adapterError(cause.meta) : null;
  }
  return false;
}

/** Prisma puts the driver's error of a raw query into `meta.driverAdapterError`. */
function adapterError(meta: unknown): unknown {
  return meta instanceof Object && 'driverAdapterError' in meta ? meta.driverAdapterError : null;
}
