import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command, Site } from './client';

/** How long a client may take for one task. */
const patienceMs = 150_000;
/** How long it may take to leave when it is asked to. */
const leavingMs = 5_000;

/** What a process did. `exitCode` null: it was killed. */
export interface Ended {
  output: string;
  problems: string;
  exitCode: number | null;
  isOverdue: boolean;
}

/**
 * Starts the command in its site, in a process group of its own that is gone when this returns or this
 * process exits. A program that cannot be started is one that told so and failed. `onStart` gets what
 * interrupts it as Ctrl-C does.
 */
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
  const atExit = () => signal('SIGKILL');
  process.once('exit', atExit);
  await endOf(child, ended, atExit);
  process.off('exit', atExit);
  clearTimeout(patience);
  clearTimeout(leaving);
  ended.exitCode = child.exitCode;
  return ended;
}

/**
 * Waits for the end of a process and of what it says. Whoever left the group may hold its output: that is not
 * waited for.
 */
function endOf(child: ChildProcess, ended: Ended, killGroup: () => void): Promise<void> {
  return new Promise((resolve) => {
    let late: NodeJS.Timeout | undefined;
    child.once('error', ({ message }) => (ended.problems += message));
    child.once('exit', () => {
      killGroup();
      late = setTimeout(resolve, leavingMs);
    });
    child.once('close', () => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** Signals whoever is left of the process group that this process led. */
export function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It is gone.
  }
}
