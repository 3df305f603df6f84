import { setTimeout as delay } from 'node:timers/promises';
import type { LimitedClient } from './limited-client';

/** How a caller behaves until a moment on the steady clock, under a limit of requests per minute. */
export type Behaviour = (client: LimitedClient, limit: number, endsAt: number) => Promise<void>;

/** Nine tenths of the limit, evenly: nothing may be refused. */
const paced: Behaviour = (client, limit, endsAt) => client.pace(limit * 0.9, endsAt);

/** Ten times the limit, evenly. */
const flood: Behaviour = (client, limit, endsAt) => client.pace(limit * 10, endsAt);

/** More than the limit at once, and again as soon as Retry-After says. */
export const burst: Behaviour = async (client, limit, endsAt) => {
  for (;;) {
    const visits = await Promise.all(Array.from({ length: Math.ceil(limit * 1.1) }, () => client.ask()));
    const waitS = Math.max(1, ...visits.map(({ retryAfterS }) => retryAfterS ?? 0));
    if (performance.now() + waitS * 1_000 > endsAt) return;
    await delay(waitS * 1_000);
  }
};

const edgeMs = 1_500;

/**
 * The whole limit just before each full minute, and again just after: a limiter with fixed windows lets both
 * through.
 */
const windowEdge: Behaviour = async (client, limit, endsAt) => {
  const wholeLimit = () => Promise.all(Array.from({ length: limit }, () => client.ask()));
  for (;;) {
    const now = new Date();
    const intoMinuteMs = now.getUTCSeconds() * 1_000 + now.getUTCMilliseconds();
    const beforeMs = (120_000 - edgeMs - intoMinuteMs) % 60_000;
    if (performance.now() + beforeMs + 2 * edgeMs > endsAt) return;
    await delay(beforeMs);
    await wholeLimit();
    await delay(2 * edgeMs);
    await wholeLimit();
  }
};

/**
 * One request after another: spread over the first minute, then at once, waiting exactly as long as each
 * refusal says.
 */
export const polite: Behaviour = async (client, limit, endsAt) => {
  const begunAt = performance.now();
  for (let number = 0; number < limit; number++) {
    await delay(Math.max(0, begunAt + (number * 60_000) / limit - performance.now()));
    await client.ask();
  }
  let waitS: number | null = null;
  while (performance.now() < endsAt) {
    if (waitS !== null) await delay(waitS * 1_000);
    const visit = await client.ask(waitS !== null);
    waitS = visit.retryAfterS;
  }
};

/** Every behaviour, and under how many keys it is shown at the same time. */
export const behaviours: Record<string, { keys: number; behave: Behaviour }> = {
  paced: { keys: 6, behave: paced },
  burst: { keys: 6, behave: burst },
  'window edge': { keys: 6, behave: windowEdge },
  'ten times': { keys: 6, behave: flood },
  polite: { keys: 24, behave: polite },
};
