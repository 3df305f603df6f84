import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port';
import { findNatsServer, natsServerVersion } from './nats-binary';
import { newDataFolder } from './new-data-folder';
import { serverEnvironment } from './server-environment';
import { ServerProcess } from './server-process';

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

/**
 * Starts a real nats-server with JetStream and waits until it answers.
 * @throws Error when it does not; nothing of it is left then.
 */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const program = await findNatsServer();
  const folder = options.folder ?? newDataFolder('nats');
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

/** A running nats-server; it starts again with the same store. */
export class NatsServer extends ServerProcess {
  constructor(
    program: string,
    /** Its own, by which the others of a cluster know it. */
    readonly name: string,
    port: number,
    folder: string,
    private readonly options: NatsServerOptions,
  ) {
    super({
      title: 'nats-server',
      program,
      arguments: ['-c', join(folder, 'nats-server.conf')],
      environment: serverEnvironment(options.environment),
      folder,
      isTemporary: options.folder === undefined,
      host: options.host ?? '127.0.0.1',
      port,
      logFile: options.logFile,
      greets: (greeting) => greeting.includes(`"server_name":"${name}"`),
    });
  }

  get url(): string {
    return `nats://${this.options.host ?? '127.0.0.1'}:${this.port}`;
  }

  /** Asks it to send its clients away and to end (`nats-server --signal ldm`); resolves when it has ended. */
  leave(): Promise<void> {
    return this.end('SIGUSR2', null);
  }
}
