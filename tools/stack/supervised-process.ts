import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessListener } from './stack-process';

export interface ProcessPlan {
  name: string;
  /** Path of the program's script. */
  script: string;
  /** The Node.js that runs it. Absent: that of this process. */
  node?: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  logFile: string;
}

/**
 * How long to wait before a crashed process starts again: doubled with every crash, forgotten after a minute
 * of running.
 */
const restartDelay = { firstMs: 200, mostMs: 10_000, forgottenAfterMs: 60_000 };

/**
 * A child process that is started again when it ends unasked. It leads a process group of its own, so that a
 * terminal's Ctrl-C reaches the launcher only, which then stops the processes in order.
 */
export class SupervisedProcess {
  private child: ChildProcess | null = null;
  private wanted = false;
  private startedAt = 0;
  private crashCount = 0;

  constructor(
    readonly plan: ProcessPlan,
    private readonly listener: ProcessListener,
  ) {}

  /** The id of the running process, null while there is none. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** How often it ended unasked lately. */
  get crashes(): number {
    return this.crashCount;
  }

  start(): void {
    this.wanted = true;
    if (!this.child) this.spawn();
  }

  /** Sends a signal to the process. One that ends by it is started again. */
  kill(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** True when nobody wants it to run. */
  get isStopped(): boolean {
    return !this.wanted;
  }

  /** Asks the process to stop and waits until it did; after `timeoutMs` it is killed. */
  async stop(timeoutMs: number): Promise<void> {
    this.wanted = false;
    const { child } = this;
    if (!child) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }

  private spawn(): void {
    const { script, node = process.execPath, cwd, environment, logFile } = this.plan;
    const log = openSync(logFile, 'a', 0o600);
    const child = spawn(node, [script], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    this.startedAt = Date.now();
    child.once('error', (error) => appendFileSync(logFile, `${error.message}\n`));
    child.once('exit', (code, signal) => void this.ended(code, signal));
    this.listener.changed();
  }

  private async ended(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.child = null;
    this.listener.changed();
    if (!this.wanted) return;
    if (Date.now() - this.startedAt > restartDelay.forgottenAfterMs) this.crashCount = 0;
    const waitMs = Math.min(restartDelay.firstMs * 2 ** this.crashCount++, restartDelay.mostMs);
    const cause = signal ? `was ended by ${signal}` : `exited with code ${code}`;
    this.listener.crashed(`${this.plan.name} ${cause}; starts again in ${waitMs / 1000} s. Log: ${this.plan.logFile}`);
    await delay(waitMs);
    if (this.wanted && !this.child) this.spawn();
  }
}
