import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeze } from './freeze';

/**
 * How to run a server's program. `title`: its name, for who reads an error. `folder`: where it keeps what
 * it keeps; `isTemporary`: `stop` removes it. `cwd` absent: that of this process. `logFile` absent: what it
 * prints is thrown away. `greets`: whether the first words to who connects are of this server; absent: it
 * says nothing.
 */
interface ServerPlan {
  title: string;
  program: string;
  arguments: readonly string[];
  environment: NodeJS.ProcessEnv;
  cwd?: string;
  folder: string;
  isTemporary: boolean;
  host: string;
  port: number;
  logFile?: string;
  greets?: (greeting: string) => boolean;
}

/** Of a start on a machine that does other things too, with what is stored to be read first. */
const startTimeoutMs = 60_000;
const endTimeoutMs = 5_000;

/**
 * A server of another's making that tests (and `npm start`) can stop, kill, freeze and start again on the
 * same port. It ends with this process.
 */
export class ServerProcess {
  private child: ChildProcess | null = null;
  private lastPid = 0;

  constructor(private readonly plan: ServerPlan) {}

  get port(): number {
    return this.plan.port;
  }

  get folder(): string {
    return this.plan.folder;
  }

  /** The process, or the last one while none runs. */
  get pid(): number {
    return this.child?.pid ?? this.lastPid;
  }

  /**
   * Starts the process and waits until it answers.
   * @throws Error when it ends instead, or does not answer within 60 s: then it is ended.
   */
  async start(): Promise<void> {
    const { plan } = this;
    const log = plan.logFile === undefined ? null : await open(plan.logFile, 'a');
    const output = log?.fd ?? 'ignore';
    const child = spawn(plan.program, plan.arguments, {
      stdio: ['ignore', output, output],
      env: plan.environment,
      cwd: plan.cwd,
      // A group of its own: the Ctrl-C of a terminal must not stop it before those who still need it.
      detached: true,
    });
    this.child = child;
    this.lastPid = child.pid ?? 0;
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => {
      process.off('exit', endWithUs);
      if (this.child === child) this.child = null;
    });
    const failures: Error[] = [];
    child.once('error', (error) => {
      failures.push(error);
      this.child = null;
    });
    await log?.close();
    const giveUpAt = Date.now() + startTimeoutMs;
    while (!(await this.answers())) {
      if (failures[0]) throw failures[0];
      if (this.child !== child) throw new Error(`${plan.title} ended at its start; is port ${plan.port} taken?`);
      if (Date.now() > giveUpAt) {
        await this.kill();
        throw new Error(`${plan.title} did not answer on port ${plan.port} within 60 s.`);
      }
      await sleep(20);
    }
  }

  /** Ends it in good order and removes its folder if that was temporary. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    if (this.plan.isTemporary) await rm(this.plan.folder, { recursive: true, force: true });
  }

  /** As a crash: SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends it (if it still runs) and starts it again: same port, same folder. */
  async restart(): Promise<void> {
    await this.end('SIGTERM');
    await this.start();
  }

  /** Freezes the process, and resolves once it is frozen: connections stay open and nothing answers. */
  async pause(): Promise<void> {
    if (this.child) await freeze(this.child);
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Resolves when it has ended; who has not after `mostMs` is killed (null: it has all the time it takes). */
  protected async end(signal: NodeJS.Signals, mostMs: number | null = endTimeoutMs): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    if (mostMs === null) return exited;
    child.kill('SIGCONT');
    const hard = setTimeout(() => child.kill('SIGKILL'), mostMs);
    await exited;
    clearTimeout(hard);
  }

  /** True when this server takes connections, and not another one that has the port. */
  private answers(): Promise<boolean> {
    const { host, port, greets } = this.plan;
    return new Promise((resolve) => {
      const socket = connect({ port, host });
      const done = (result: boolean) => {
        socket.destroy();
        resolve(result);
      };
      if (greets) socket.once('data', (greeting) => done(greets(greeting.toString())));
      else socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
      socket.setTimeout(1_000, () => done(false));
    });
  }
}
