import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port';
import { serverEnvironment } from '../server-environment';
import { packData } from './data-archive';
import { serverUser } from './data-folder';
import type { DataFolder } from './data-folder';
import { guardOrphan } from './orphan-guard';
import { allGone, childrenOf, isRunning, killAll } from './process-family';
import type { ServerAccount } from './server-account';

export interface ServerPlan {
  account: ServerAccount;
  data: DataFolder;
  /** Null: any free one. */
  port: number | null;
  logFile: string;
  durable: boolean;
  /** More of its configuration, as `name=value`. */
  settings: readonly string[];
  /** The folder of a temporary server, which goes with it; null where the data stay. */
  temporaryFolder: string | null;
}

const startTimeoutMs = 60_000;
const database = 'tollgate';

/** A real Postgres of ours, on the loopback address. Its port and data stay the same over restarts. */
export class PostgresServer {
  private child: ChildProcess | null = null;
  private family: number[] = [];
  private port = 0;
  private callOffGuard: () => void = () => undefined;

  constructor(private readonly plan: ServerPlan) {}

  /** Of a database that `migrate` creates when it is missing. */
  get url(): string {
    const { password } = this.plan.data;
    return `postgresql://${serverUser}${password ? `:${password}` : ''}@127.0.0.1:${this.port}/${database}`;
  }

  /** Of the server's main process, also after it ended. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /**
   * @throws Error in plain words when the server cannot start: its data are in use, its port is taken, or
   * what its log says.
   */
  async start(): Promise<void> {
    this.port ||= this.plan.port ?? (await freePort());
    await allGone(this.family);
    this.callOffGuard();
    const logStart = this.readLog().length;
    const log = openSync(this.plan.logFile, 'a', 0o600);
    const [program = '', ...programArguments] = this.command();
    // A group of its own: a terminal's Ctrl-C must reach whoever stops the server in order, not the server.
    this.child = spawn(program, programArguments, {
      ...this.plan.account.owner,
      cwd: '/',
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', log, log],
    });
    this.child.once('error', () => undefined);
    closeSync(log);
    await this.untilReady(this.child, logStart);
    if (this.plan.temporaryFolder !== null) this.callOffGuard = guardOrphan(this.pid, this.plan.temporaryFolder);
  }

  /** Ends sessions, writes everything, stops; a temporary server's files are removed. */
  async stop(): Promise<void> {
    await this.halt();
    for (const used of this.temporaryFolders()) rmSync(used, { recursive: true, force: true });
  }

  /** Ends as `stop` does, and writes the server's data into a file, which takes the place of what is there. */
  async archive(file: string): Promise<void> {
    await this.halt();
    await packData(this.plan.account, file);
  }

  /**
   * SIGKILL of every process of the server, as a crash of the machine would (but for what the system still
   * writes).
   */
  async kill(): Promise<void> {
    this.family = this.runningFamily();
    killAll(this.family);
    await this.ended();
  }

  /** Starts it again after `kill` or a crash; a running server is stopped first. */
  async restart(): Promise<void> {
    if (this.isUp()) await this.halt();
    await this.start();
  }

  private async halt(): Promise<void> {
    this.family = this.runningFamily();
    if (this.isUp()) this.child?.kill('SIGINT');
    await this.ended();
  }

  /** The server's processes; none when it ended already, because its id may be another program's by now. */
  private runningFamily(): number[] {
    return this.isUp() ? [this.pid, ...childrenOf(this.pid)] : [];
  }

  private temporaryFolders(): string[] {
    const { temporaryFolder, account } = this.plan;
    return temporaryFolder === null ? [] : [temporaryFolder, account.base];
  }

  private async ended(): Promise<void> {
    if (this.child && this.isUp()) await once(this.child, 'exit');
    await allGone(this.family);
    this.callOffGuard();
  }

  private isUp(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  private command(): string[] {
    const { account, data, durable, settings: more } = this.plan;
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      // Without fsync a commit is still handed to the system, so it survives the death of the server, only
      // not of the machine.
      ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
      ...more,
    ].flatMap((setting) => ['-c', setting]);
    return [...account.wrapper, account.binaries.postgres, '-D', data.path, '-p', String(this.port), ...settings];
  }

  private async untilReady(child: ChildProcess, logStart: number): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    while (Date.now() < deadline) {
      const state = readPostmasterFile(this.plan.data.path);
      if (state && state.pid === child.pid && state.ready) return;
      if (!this.isUp() || child.pid === undefined) throw this.startError(logStart);
      await delay(10);
    }
    await this.kill();
    throw new Error(`Postgres was not ready after ${startTimeoutMs / 1000} s. See ${this.plan.logFile}`);
  }

  private startError(logStart: number): Error {
    const said = this.readLog().slice(logStart).trim();
    const running = readPostmasterFile(this.plan.data.path);
    if (said.includes('postmaster.pid') && running && isRunning(running.pid))
      return new Error(
        `Postgres already runs on ${this.plan.data.path} (process ${running.pid}). Stop it first, or use another folder.`,
      );
    if (said.includes('Address already in use'))
      return new Error(`Port ${this.port} is taken. Stop what listens there, or choose another port for Postgres.`);
    return new Error(`Postgres did not start:\n${said}`);
  }

  private readLog(): string {
    try {
      return readFileSync(this.plan.logFile, 'utf8');
    } catch {
      return '';
    }
  }
}

/**
 * What a running server says of itself in its lock file, or null when there is none.
 * Line 1 is the process id, line 8 the state:
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/utils/pidfile.h
 */
function readPostmasterFile(dataFolder: string): { pid: number; ready: boolean } | null {
  const lines = textOf(join(dataFolder, 'postmaster.pid'))?.split('\n');
  return lines ? { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' } : null;
}

/**
 * Null: there is no such file, or not any more: a server that starts after a crash takes away the old one.
 */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
