import { execFileSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { eventually } from './eventually';
import { serverEnvironment } from './server-environment';

/**
 * Stops a process as it is (SIGSTOP), and resolves once all of it stands still: `kill` only sends the signal,
 * and threads go on until they take it. One that has ended is left alone.
 */
export async function freeze(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || !child.kill('SIGSTOP')) return;
  await eventually(() => statesOf(pid).every((state) => /^[TtZX]/.test(state)));
}

/** The state of each of its threads, as the letters of `ps`; none: it is gone. */
function statesOf(pid: number): string[] {
  try {
    const options = { encoding: 'utf8', env: serverEnvironment() } as const;
    if (platform !== 'linux') return [execFileSync('ps', ['-o', 'state=', '-p', String(pid)], options)];
    return readdirSync(`/proc/${pid}/task`).map((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`));
  } catch {
    return [];
  }
}

function stateOf(path: string): string {
  try {
    // The state stands behind the name, which may hold blanks and brackets.
    return /.*\) (.)/s.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  } catch {
    // It has ended since the list was read; the others may run.
    return 'X';
  }
}
