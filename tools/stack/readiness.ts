import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StackError } from './stack-error';

export interface ReadinessTarget {
  name: string;
  /** The base address of the process's internal server. */
  internalUrl: string;
  logFile: string;
  /** True when waiting has become useless: the process keeps ending, or was stopped. */
  gaveUp: () => boolean;
}

const pollMs = 50;
/**
 * A try is given up after so long, or at the deadline. Whoever asks may have much to do besides, as a proof
 * that bears the load of its callers has: its own lateness must not take an answer that is there for none.
 */
const tryMs = 15_000;

/**
 * Waits until /readyz of a process answers 200.
 * @throws StackError with the last lines of its log when it does not within `timeoutMs`, or does not stay up.
 */
export async function waitUntilReady(target: ReadinessTarget, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let state = 'it does not answer';
  while (Date.now() < deadline && !target.gaveUp()) {
    try {
      const signal = AbortSignal.timeout(Math.max(1, Math.min(tryMs, deadline - Date.now())));
      const response = await fetch(`${target.internalUrl}/readyz`, { signal });
      const body = await response.text();
      if (response.ok) return;
      state = body;
    } catch {
      // Not listening yet: asked again until the deadline.
    }
    await delay(pollMs);
  }
  const problem = target.gaveUp() ? 'does not stay up' : `was not ready after ${timeoutMs / 1000} s (${state})`;
  throw new StackError(`${target.name} ${problem}. The end of ${target.logFile}:\n${lastLines(target.logFile, 15)}`);
}

/** A process that was started again and again says the same each time: a line that comes again is told once. */
function lastLines(file: string, count: number): string {
  const newestFirst = new Set(readFileSync(file, 'utf8').trimEnd().split('\n').reverse());
  return [...newestFirst].slice(0, count).reverse().join('\n');
}
