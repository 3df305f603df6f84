import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command, Site } from './client';

/** How long a client may take for one task. */
const patienceMs = 90_000;
/** How long it may take to leave when it is asked to. */
const leavingMs = 5_000;

/** What a process did. `exitCode` null: it was killed. */
export interface Ended {
  output: string;
  problems: string;
  exitCode: number | null;
  isOverdue: boolean;
}

/** Starts the command in its site, in a process group of its own that is gone when this returns. `onStart` gets what interrupts it as Ctrl-C does. */
export async function runCommand(
  { program, args, environment, files = {} }: Command,
  { work, home }: Site,
  onStart: (interrupt: () => void) => void = () => undefined,
): Promise<Ended> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const child = spawn(program, args, {
    cwd: work,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, TERM: 'dumb', CI: '1', NO_COLOR: '1', ...environment },
  });
  const ended: Ended = { output: '', problems: '', exitCode: null, isOverdue: false };
  child.stdout.on('data', (bytes: Buffer) => (ended.output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (ended.problems += bytes.toString()));
  const signal = (name: NodeJS.Signals) => signalGroup(child.pid, name);
  let leaving: NodeJS.Timeout | undefined;
  const patience = setTimeout(() => {
    ended.isOverdue = true;
    signal('SIGKILL');
  }, patienceMs);
  onStart(() => {
    signal('SIGINT');
    leaving ??= setTimeout(() => signal('SIGKILL'), leavingMs);
  });
  await Promise.race([once(child, 'exit'), once(child, 'error')]).finally(() => {
    clearTimeout(patience);
    clearTimeout(leaving);
    signal('SIGKILL');
  });
  ended.exitCode = child.exitCode;
  return ended;
}

/** Whoever is left of the group. */
function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It is gone.
  }
}
