import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ServerName } from '@tollgate/contracts/catalog';
import { workspaceRoot } from '../../stack/workspace-root';
import { signalGroup } from '../clients/run-command';
import type { CaseName } from './cases';
import type { QuestionName } from './questions';

const run = promisify(execFile);
const readyTimeoutMs = 600_000;
const makeTimeoutMs = 120_000;
/** How much of a log is told of a server that did not start, lines. */
const toldLines = 20;

/** A program of the server's folder that is started with these arguments. */
export interface ServerCommand {
  program: string;
  args: string[];
  environment?: Record<string, string>;
  /** Files beside it, by name. */
  files?: Record<string, string>;
}

/** Where a server is started. */
export interface ServerSite {
  /** The folder that it was installed into; models and logs are in `work`. */
  installed: string;
  work: string;
  port: number;
  /** Where the servers are that run already, by the names of their models. */
  others: ReadonlyMap<string, string>;
}

/**
 * One process of a server: the same program may answer as several of them, each with a model of its own kind.
 */
export interface ServerPart {
  /** What its only model is called there. */
  model: string;
  questions: readonly QuestionName[];
  cases: readonly CaseName[];
  /** Makes the model and says how the server is started with it. */
  command: (site: ServerSite) => ServerCommand | Promise<ServerCommand>;
  /** What is to be done once it answers, before it is asked. */
  afterStart?: (site: ServerSite) => Promise<void>;
}

/** A kind of server that the proof installs and asks. */
export interface OwnServer {
  id: ServerName;
  name: string;
  /** As their registry calls them, pinned; the first one is what is judged. */
  packages: readonly string[];
  /**
   * Has it, unless it is there: the folder.
   * @throws AbsentError where its registry, or what builds it, is out of reach
   */
  install: () => Promise<string>;
  /** What it takes to have it, for those that are played only when they are named; null: little. */
  cost: string | null;
  /** The server that it passes on to, which is played before it; null: it answers itself. */
  behind: ServerName | null;
  parts: readonly ServerPart[];
  /** Differences that there may be, by the line of the table: how each begins, and why it is right. */
  named: Partial<Record<QuestionName | CaseName, { begins: string; why: string }>>;
  /** Its key; null: it asks for none. */
  key: string | null;
  /** Why it is asked what it is, where that needs a word. */
  note: string;
}

/** Runs one of the proof's own programs in the Python of this folder. */
export async function runPython(installed: string, work: string, script: string, args: string[]): Promise<void> {
  await run(join(installed, 'bin/python'), [scriptFile(script), ...args], { cwd: work, timeout: makeTimeoutMs });
}

/** The path of one of the proof's own programs. */
export function scriptFile(name: string): string {
  return join(workspaceRoot, 'tools/prove/servers/python', name);
}

/** A server that runs until it is stopped or this process ends. */
export class RunningServer {
  readonly url: string;
  private child: ChildProcess | null = null;
  /** Why the child is over: told once, whether it ran or not. */
  private ended: Promise<string> = Promise.resolve('it was not started');
  private readonly atExit = () => this.signal('SIGKILL');

  constructor(
    private readonly command: ServerCommand,
    { port, work }: ServerSite,
    private readonly name: string,
    private readonly key: string | null,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.logFile = join(work, `${name}.log`);
  }

  private readonly logFile: string;

  /**
   * Starts it and waits until it lists its models.
   * @throws Error with the reason and the end of its log when it does not.
   */
  async start(): Promise<void> {
    const { program, args, environment } = this.command;
    const log = openSync(this.logFile, 'a', 0o600);
    const child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    });
    closeSync(log);
    this.child = child;
    this.ended = endOf(child);
    process.once('exit', this.atExit);
    const giveUpAt = Date.now() + readyTimeoutMs;
    while (!(await this.isReady())) {
      const end = await Promise.race([this.ended, delay(200, null)]);
      if (end !== null) throw this.failure(end);
      if (Date.now() > giveUpAt) throw this.failure(`no answer in ${readyTimeoutMs / 1_000} s`);
    }
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.child = null;
    signalGroup(child.pid, 'SIGKILL');
    await this.ended;
    process.off('exit', this.atExit);
  }

  /** Stands still, with its connections, until it is resumed. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  /** Its log goes with the folder of the proof, so its end is told here. */
  private failure(why: string): Error {
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-toldLines);
    return new Error(`${this.name} did not start: ${why}. The end of its log:\n${lines.join('\n')}`);
  }

  private signal(name: NodeJS.Signals): void {
    if (this.child) signalGroup(this.child.pid, name);
  }

  private async isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/v1/models`, {
        headers: bearer(this.key),
        signal: AbortSignal.timeout(5_000),
      });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
}

/** The header with a key; none without one. */
export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Resolves once the child is over, with a word for how, or for why it could not be started. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}
