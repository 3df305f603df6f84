import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 5;
const patienceMs = 60_000;

/**
 * When it was first seen to hold, milliseconds of the steady clock.
 * @throws Error when it does not within a minute.
 */
export async function until(holds: () => Promise<boolean>): Promise<number> {
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt) {
    if (await holds()) return performance.now();
    await delay(pollMs);
  }
  throw new Error('What was changed a minute ago is not to be seen yet.');
}
