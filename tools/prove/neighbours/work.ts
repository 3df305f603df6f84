import type { Stack } from '../../stack/stack';
import { cpuTimesUs } from '../../bench/process-cost';

/** Whose CPU time it is: the gateway with its servers, or what stands for others in life. */
type Worker = 'gateway' | 'provider' | 'attacker' | 'victim';

/** How many cores each of them had on average, all their threads together. */
export type CoresUsed = Record<Worker, number>;

/** What each of them has used of CPU time so far, microseconds. */
type WorkUs = Record<Worker, number>;

export const noWork: WorkUs = { gateway: 0, provider: 0, attacker: 0, victim: 0 };

/** What was used until now; of the attacker where its process is named. */
export function workOf(stack: Stack, attacker?: number): WorkUs {
  const ids = [...stack.processes].flatMap(([name, { pid }]) => (pid === null ? [] : [[name, pid] as const]));
  const own = new Map(ids.filter(([name]) => name !== 'sandbox'));
  const gateway = [...cpuTimesUs(own).values()].reduce((sum, us) => sum + us, 0);
  const others = new Map([
    ...ids.filter(([name]) => name === 'sandbox'),
    ['all', process.pid] as const,
    ...(attacker === undefined ? [] : [['attacker', attacker] as const]),
  ]);
  const { sandbox: provider = 0, attacker: attacking = 0, all = 0 } = Object.fromEntries(cpuTimesUs(others));
  return { gateway, provider, attacker: attacking, victim: Math.max(0, all - gateway - provider - attacking) };
}

/** With what was used between two looks. A process that was started anew has used less than the one before. */
export function withWork(sum: WorkUs, from: WorkUs, to: WorkUs): WorkUs {
  const of = (worker: Worker) => sum[worker] + Math.max(0, to[worker] - from[worker]);
  return { gateway: of('gateway'), provider: of('provider'), attacker: of('attacker'), victim: of('victim') };
}

/** The part of all work that is the gateway's, 0 to 1. */
export function gatewayShare({ gateway, provider, attacker, victim }: WorkUs): number {
  const all = gateway + provider + attacker + victim;
  return all === 0 ? 0 : gateway / all;
}

export function coresOf(work: WorkUs, durationMs: number): CoresUsed {
  const of = (worker: Worker) => (durationMs === 0 ? 0 : work[worker] / 1_000 / durationMs);
  return { gateway: of('gateway'), provider: of('provider'), attacker: of('attacker'), victim: of('victim') };
}
