import { setTimeout as delay } from 'node:timers/promises';
import { readdirSync } from 'node:fs';
import { residentBytes } from '../../bench/process-cost';
import type { Stack } from '../../stack/stack';

/** The processes whose memory and sockets a caller could use up. */
const watched = /^(edge|inference)/;
const everyMs = 250;

/** Bytes of memory of each edge and inference process, told so quickly that nobody is held up by it. */
export function memory(stack: Stack): Map<string, number> {
  return residentBytes(watchedIds(stack));
}

/** The system's ids of the edge and inference processes that run. */
export function watchedIds(stack: Stack): Map<string, number> {
  return new Map(
    [...stack.processes]
      .filter(([name]) => watched.test(name))
      .flatMap(([name, { pid }]) => (pid === null ? [] : [[name, pid] as const])),
  );
}

/** The most memory that any edge or inference process gained while `work` ran, bytes. */
export async function memoryGained(stack: Stack, work: () => Promise<void>): Promise<number> {
  const before = memory(stack);
  const highest = await mostMemory(stack, work);
  return Math.max(0, ...[...highest].map(([name, bytes]) => bytes - (before.get(name) ?? bytes)));
}

/**
 * The most memory that each edge and inference process held while `work` ran, bytes: looked at again and
 * again.
 */
export async function mostMemory(stack: Stack, work: () => Promise<void>): Promise<Map<string, number>> {
  const highest = new Map<string, number>();
  const look = () => {
    for (const [name, bytes] of memory(stack)) highest.set(name, Math.max(highest.get(name) ?? 0, bytes));
  };
  const timer = setInterval(look, everyMs);
  await work().finally(() => clearInterval(timer));
  look();
  return highest;
}

/**
 * Open files and sockets of all edges and inference instances; null where the system does not tell (it does
 * on Linux).
 */
export function openFiles(stack: Stack): number | null {
  try {
    return [...stack.processes]
      .filter(([name]) => watched.test(name))
      .reduce((sum, [, { pid }]) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
  } catch {
    return null;
  }
}

/** The sum of one metric over all instances of a service. */
export async function gauge(stack: Stack, service: 'edge' | 'inference', metric: string): Promise<number> {
  let sum = 0;
  const own = [...stack.processes].filter(([name]) => name.startsWith(service));
  for (const internalUrl of own.flatMap(([, { internalUrls }]) => internalUrls)) {
    const text = await (await fetch(`${internalUrl}/metrics`)).text();
    const values = text.split('\n').filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`));
    sum += values.reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }
  return sum;
}

/** Resolves as soon as `condition` holds; false when that takes longer than `patienceMs`. */
export async function within(patienceMs: number, condition: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) return false;
    await delay(everyMs);
  }
  return true;
}
