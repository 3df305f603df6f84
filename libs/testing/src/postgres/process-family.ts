import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { serverEnvironment } from '../server-environment';

const exitTimeoutMs = 60_000;

/**
 * The ids of a process's children. Postgres's backends lead sessions of their own, so a signal to the group
 * does not reach them.
 */
export function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', env: serverEnvironment() });
  return (stdout ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child && parent === pid ? [child] : []));
}

/**
 * True while the process runs. One that ended but was not waited for by its parent (pid 1 of a container may
 * never do that) does not.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Sends SIGKILL to processes that may be gone already. */
export function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in between, which is all that was wanted.
    }
  }
}

/** Waits until none of the processes exists. */
export async function allGone(pids: number[]): Promise<void> {
  const deadline = Date.now() + exitTimeoutMs;
  while (pids.some(isRunning)) {
    if (Date.now() > deadline) throw new Error(`Processes ${pids.filter(isRunning).join(', ')} do not end.`);
    await delay(10);
  }
}

/**
 * Linux only, elsewhere false. The state follows the command's name in brackets:
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function isZombie(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && / Z /.test(readFileSync(file, 'utf8').slice(0, 200));
}
