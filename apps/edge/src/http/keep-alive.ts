/** What callers are told of how long an unused connection is kept: longer than common proxies do (60 s). */
const toldS = 75;

/**
 * How long it is kept, milliseconds. A caller sends on a connection until it hears that this was closed, and
 * what it sends in between is lost: a POST is not sent again by itself. Who goes by what is told may be late
 * by the time that an answer is on its way, and that its program or machine stands still.
 */
export const keepAliveTimeoutMs = (toldS + 15) * 1_000;

/**
 * In place of Node's own, which tells the time to the end:
 * https://datatracker.ietf.org/doc/html/rfc2068#section-19.7.1.1
 */
export const keepAliveHeader = `timeout=${toldS}`;
