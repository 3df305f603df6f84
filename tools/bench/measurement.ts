import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchProcess } from './child-process';
import { loadResult, type LoadJob, type LoadResult } from './load/job';
import { costBetween, processCosts, type ProcessCost } from './process-cost';

/** One job's result, what each process used for it, and the most memory each held meanwhile (see `costs`). */
export interface Measurement {
  load: LoadResult;
  costs: Map<string, ProcessCost>;
}

/** Time for what a job leaves behind (usage on its way to the database), which belongs to its cost. */
const settleMs = 400;
/** Each look at a process of 200 MB takes its kernel some milliseconds. */
const memoryEveryMs = 1_000;

/**
 * Runs a job and weighs the processes before, meanwhile and after. `memoryBytes` in the result is the highest
 * seen.
 */
export async function measure(
  generator: BenchProcess,
  job: LoadJob,
  pids: () => ReadonlyMap<string, number>,
): Promise<Measurement> {
  const before = processCosts(pids());
  const highest = new Map<string, number>();
  const watch = setInterval(() => keepHighest(highest, processCosts(pids())), memoryEveryMs);
  generator.send(job);
  const load = await generator.next(loadResult);
  await sleep(settleMs);
  clearInterval(watch);
  const after = processCosts(pids());
  keepHighest(highest, after);
  const costs = costBetween(before, after);
  for (const [name, cost] of costs) cost.memoryBytes = highest.get(name) ?? cost.memoryBytes;
  return { load, costs };
}

function keepHighest(highest: Map<string, number>, costs: ReadonlyMap<string, ProcessCost>): void {
  for (const [name, { memoryBytes }] of costs) highest.set(name, Math.max(memoryBytes, highest.get(name) ?? 0));
}
