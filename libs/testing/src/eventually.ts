import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { patience } from './patience';

/** Between two questions: asking is work, too, and a wait that is long already may end a twentieth later. */
const pollMs = { least: 10, most: 100, ofWait: 1 / 20 };

/**
 * Waits until something holds, which should take `withinMs` at most.
 * @throws Error when it did not after `patience` times that.
 */
export function eventually(holds: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
/**
 * Asks again until the answer is right, which should take `withinMs` at most, and returns it.
 * @throws Error with the last wrong answer when there was no right one after `patience` times that.
 */
export function eventually<T>(
  ask: () => T | Promise<T>,
  isRight: (answer: T) => boolean,
  withinMs?: number,
): Promise<T>;
export async function eventually(
  ask: () => unknown,
  right: ((answer: never) => boolean) | number = Boolean,
  within = 5_000,
): Promise<unknown> {
  const isRight = (typeof right === 'number' ? Boolean : right) as (answer: unknown) => boolean;
  const limitMs = (typeof right === 'number' ? right : within) * patience;
  const beganAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > limitMs)
      throw new Error(`Not within ${limitMs} ms: ${ask.toString()}\nThe last answer: ${inspect(answer)}`);
    await delay(Math.min(pollMs.most, Math.max(pollMs.least, waitedMs * pollMs.ofWait)));
  }
}
