import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { ServerProcess } from './server-process';
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

/** A running server; it starts empty. */
export class ValkeyServer extends ServerProcess {
  constructor(
    program: ValkeyProgram,
    port: number,
    folder: string,
    private readonly options: ValkeyServerOptions,
  ) {
    super({
      title: 'valkey-server',
      program: program.path,
      arguments: argumentsOf(options, port, folder),
      environment: valkeyEnvironment(program),
      cwd: folder,
      folder,
      isTemporary: options.folder === undefined,
      host: '127.0.0.1',
      port,
      logFile: options.logFile,
    });
  }

  get url(): string {
    const { password, tls } = this.options;
    return `${tls ? 'valkeys' : 'valkey'}://${password ? `:${encodeURIComponent(password)}@` : ''}127.0.0.1:${this.port}`;
  }
}

function argumentsOf({ password, tls }: ValkeyServerOptions, port: number, folder: string): string[] {
  return [
    ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    ...(password ? ['--requirepass', password] : []),
    ...(tls ? ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'] : ['--port', String(port)]),
    ...(tls
      ? ['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile, '--tls-ca-cert-file', tls.certFile]
      : []),
  ];
}
