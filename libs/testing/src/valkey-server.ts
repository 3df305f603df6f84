import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';
import { freeze } from './freeze';
import { findValkeyServer, valkeyEnvironment } from './valkey-binary';
import type { ValkeyProgram } from './valkey-binary';

/**
 * How to run it. `port` absent: a free one. `folder` absent: a temporary folder that `stop` removes.
 * `password` absent: none is asked for.
 * `tls`: PEM files; the port then speaks TLS only. `logFile` absent: its log is thrown away.
 */
export interface ValkeyServerOptions {
  port?: number;
  folder?: string;
  password?: string;
  tls?: { certFile: string; keyFile: string };
  logFile?: string;
}

const startTimeoutMs = 60_000;

/**
 * Starts a real valkey-server (or redis-server) that keeps everything in memory, and waits until it answers.
 * @throws Error when it does not; nothing of it is left then.
 */
export async function startValkey(options: ValkeyServerOptions = {}): Promise<ValkeyServer> {
  const program = await findValkeyServer();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'tollgate-valkey-')));
  const server = new ValkeyServer(program, options.port ?? (await freePort()), folder, options);
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * A running server that tests (and proofs) can stop, kill, freeze and start again on the same port; it starts
 * empty.
 */
export class ValkeyServer {
  private child: ChildProcess | null = null;

  constructor(
    private readonly program: ValkeyProgram,
    readonly port: number,
    private readonly folder: string,
    private readonly options: ValkeyServerOptions,
  ) {}

  get url(): string {
    const { password, tls } = this.options;
    return `${tls ? 'valkeys' : 'valkey'}://${password ? `:${encodeURIComponent(password)}@` : ''}127.0.0.1:${this.port}`;
  }

  /**
   * Starts the process and waits until it answers.
   * @throws Error when it ends instead, or does not answer within 60 s: then it is ended.
   */
  async start(): Promise<void> {
    const log = this.options.logFile ? await open(this.options.logFile, 'a') : null;
    const output = log?.fd ?? 'ignore';
    const child = spawn(this.program.path, this.settings(), {
      stdio: ['ignore', output, output],
      env: valkeyEnvironment(this.program),
      cwd: this.folder,
      // A group of its own: the Ctrl-C of a terminal must not stop it before those who still need it.
      detached: true,
    });
    this.child = child;
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => {
      process.off('exit', endWithUs);
      if (this.child === child) this.child = null;
    });
    child.once('error', () => (this.child = null));
    await log?.close();
    const giveUpAt = Date.now() + startTimeoutMs;
    while (!(await this.accepts())) {
      if (this.child !== child) throw new Error(`valkey-server ended at its start; is port ${this.port} taken?`);
      if (Date.now() > giveUpAt) {
        await this.kill();
        throw new Error(`valkey-server did not answer on port ${this.port} within 60 s.`);
      }
      await sleep(20);
    }
  }

  /** Ends it and removes its folder if that was temporary. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    if (this.options.folder === undefined) await rm(this.folder, { recursive: true, force: true });
  }

  /** As a crash: SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Freezes the process, and resolves once it is frozen: connections stay open and nothing answers. */
  async pause(): Promise<void> {
    if (this.child) await freeze(this.child);
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  private settings(): string[] {
    const { password, tls } = this.options;
    const port = String(this.port);
    return [
      ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.folder],
      ...(password ? ['--requirepass', password] : []),
      ...(tls ? ['--port', '0', '--tls-port', port, '--tls-auth-clients', 'no'] : ['--port', port]),
      ...(tls
        ? ['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile, '--tls-ca-cert-file', tls.certFile]
        : []),
    ];
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

  /**
   * A server that is up takes connections; it answers everything from then on, since it has nothing to load.
   */
  private async accepts(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ port: this.port, host: '127.0.0.1' });
      const done = (result: boolean) => {
        socket.destroy();
        resolve(result);
      };
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
  }
}
