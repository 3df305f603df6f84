import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';
import { freeze } from './freeze';
import { findNatsServer, natsServerVersion } from './nats-binary';

/**
 * How to run nats-server. `port` absent: a free one. `folder` absent: a temporary folder that `stop` removes.
 * `maxPayloadBytes`: the largest message.
 * `logFile` absent: its log is thrown away. `environment`: what its process has beside that of this one, such
 * as GOMEMLIMIT. `extraConfig`: more of the configuration, such as who may do what; it may hold passwords.
 */
export interface NatsServerOptions {
  port?: number;
  host?: string;
  folder?: string;
  maxPayloadBytes?: number;
  logFile?: string;
  extraConfig?: string;
  environment?: Readonly<Record<string, string>>;
}

/** Of a start on a machine that does other things too, with what is stored to be read first. */
const startTimeoutMs = 60_000;

/**
 * Starts a real nats-server with JetStream and waits until it answers.
 * @throws Error when it does not; nothing of it is left then.
 */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const program = await findNatsServer();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'tollgate-nats-')));
  const port = options.port ?? (await freePort());
  await mkdir(folder, { recursive: true });
  const name = `tollgate-${randomBytes(6).toString('hex')}`;
  const config = await serverConfig(program, name, port, folder, options);
  await writeFile(join(folder, 'nats-server.conf'), config, { mode: 0o600 });
  const server = new NatsServer(program, name, port, folder, options);
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function serverConfig(
  program: string,
  name: string,
  port: number,
  folder: string,
  options: NatsServerOptions,
): Promise<string> {
  const [major, minor] = await natsServerVersion(program);
  // Every stored usage event reaches the disk before it is acknowledged; older servers only sync now and
  // then.
  const sync = major > 2 || minor >= 10 ? '  sync_interval: always\n' : '';
  return (
    `listen: ${JSON.stringify(`${options.host ?? '127.0.0.1'}:${port}`)}\n` +
    `server_name: ${name}\n` +
    `max_payload: ${options.maxPayloadBytes ?? 8 * 1024 * 1024}\n` +
    `jetstream {\n  store_dir: ${JSON.stringify(join(folder, 'jetstream'))}\n${sync}}\n${options.extraConfig ?? ''}`
  );
}

/**
 * A running nats-server that tests (and `npm start`) can stop, kill, freeze and start again on the same port
 * with the same store.
 */
export class NatsServer {
  private child: ChildProcess | null = null;
  private lastPid = 0;

  constructor(
    private readonly program: string,
    /** Its own, by which the others of a cluster know it. */
    readonly name: string,
    readonly port: number,
    readonly folder: string,
    private readonly options: NatsServerOptions,
  ) {}

  get url(): string {
    return `nats://${this.options.host ?? '127.0.0.1'}:${this.port}`;
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
    const log = this.options.logFile ? await open(this.options.logFile, 'a') : null;
    const output = log?.fd ?? 'ignore';
    const child = spawn(this.program, ['-c', join(this.folder, 'nats-server.conf')], {
      stdio: ['ignore', output, output],
      env: { ...process.env, ...this.options.environment },
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
    child.once('error', (error) => failures.push(error));
    await log?.close();
    const giveUpAt = Date.now() + startTimeoutMs;
    while (!(await this.answers())) {
      if (failures[0]) throw failures[0];
      if (this.child !== child) throw new Error(`nats-server ended at its start; is port ${this.port} taken?`);
      if (Date.now() > giveUpAt) {
        await this.kill();
        throw new Error(`nats-server did not answer on port ${this.port} within 60 s.`);
      }
      await sleep(20);
    }
  }

  /** Ends it in good order and removes its store if that was temporary. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    if (this.options.folder === undefined) await rm(this.folder, { recursive: true, force: true });
  }

  /** As a crash: SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends it (if it still runs) and starts it again: same port, same store. */
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

  /** Asks it to send its clients away and to end (`nats-server --signal ldm`); resolves when it has ended. */
  async leave(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGUSR2');
    await exited;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    child.kill('SIGCONT');
    const hard = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(hard);
  }

  /** True when this server greets, and not another one that has the port. */
  private async answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ port: this.port, host: this.options.host ?? '127.0.0.1' });
      const done = (result: boolean) => {
        socket.destroy();
        resolve(result);
      };
      socket.once('data', (chunk) => done(chunk.toString().includes(`"server_name":"${this.name}"`)));
      socket.once('error', () => done(false));
      socket.setTimeout(1_000, () => done(false));
    });
  }
}
