import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attacker } from './attacker';
import type { Ask, Wire } from './attacker';

/** What one attacker does again and again: at most so many at once, and at most so many a second. */
export interface Attack {
  name: string;
  atOnce: number;
  perSecond: number;
  /** It lasts for so long at the least, milliseconds, where that is longer than a round. */
  leastMs?: number;
  /** How much longer, milliseconds, where nothing of it has ended by then; absent: none of it need end. */
  patienceMs?: number;
  /**
   * How none of its own requests may end: what one request does must not fall on the next of the same account
   * either.
   */
  never?: RegExp;
  /**
   * Makes what takes time to be made, so that the attack is under way as soon as it begins. What cannot be
   * made until `end` fires is made by the attack itself.
   */
  prepare?: (attacker: Attacker, end: AbortSignal) => unknown;
  /** Sends one request, or does one thing, until it is over or `end` fires. Returns how it ended. */
  act: (attacker: Attacker, number: number, end: AbortSignal) => Promise<string>;
}

type Rate = Pick<Attack, 'atOnce' | 'perSecond'>;

/** On a machine that does other things an answer may take longer than a short round. */
export const answersWithinMs = 10_000;

/** An attack of requests over HTTP. */
export function asking(
  name: string,
  rate: Rate & Pick<Attack, 'never'>,
  ask: (attacker: Attacker, number: number) => Ask,
): Attack {
  return {
    name,
    patienceMs: answersWithinMs,
    ...rate,
    prepare: (attacker) => void ask(attacker, 0),
    act: (attacker, number, end) => attacker.ask(ask(attacker, number), end),
  };
}

/** An attack of bytes that no HTTP client would send. */
export function wiring(name: string, rate: Rate, wire: (attacker: Attacker, number: number) => Wire): Attack {
  return { name, ...rate, act: (attacker, number, end) => attacker.wire(wire(attacker, number), end) };
}

/** How often something ended how. */
export type Endings = Record<string, number>;

/** Plays an attack for so long, and breaks off what is not over then, or when its patience is. */
export async function playAttack(attack: Attack, attacker: Attacker, durationMs: number): Promise<Endings> {
  const over = new AbortController();
  // Everything that is under way listens to it.
  setMaxListeners(0, over.signal);
  const endings: Endings = {};
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  const isOver = () => performance.now() >= startedAt + durationMs && Object.keys(endings).length > 0;
  const timers = [
    setTimeout(() => isOver() && over.abort(), durationMs),
    setTimeout(() => over.abort(), durationMs + (attack.patienceMs ?? 0)),
  ];
  for (let number = 0; !over.signal.aborted; number++) {
    const dueAt = startedAt + (number * 1_000) / attack.perSecond;
    if (dueAt >= startedAt + durationMs) break;
    if (dueAt > performance.now()) await delay(dueAt - performance.now());
    while (running.size >= attack.atOnce && !over.signal.aborted) await Promise.race([...running, ended(over.signal)]);
    if (over.signal.aborted) break;
    const acting = attack
      .act(attacker, number, over.signal)
      .catch((error: unknown) => (over.signal.aborted ? 'broken off' : shortly(error)))
      .then((ending) => {
        endings[ending] = (endings[ending] ?? 0) + 1;
        running.delete(acting);
        if (isOver()) over.abort();
      });
    running.add(acting);
  }
  await ended(over.signal);
  for (const timer of timers) clearTimeout(timer);
  await Promise.all(running);
  return endings;
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function shortly(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause).slice(0, 60);
}
