import type { NatsUserName } from '@tollgate/messaging';
import { startNatsServer, startPostgres } from '@tollgate/testing';
import { join } from 'node:path';
import { natsAuthorization, natsUrls } from './nats-users';
import { ServerProcess } from './server-process';
import type { EmbeddedServer } from './server-process';
import { StackError } from './stack-error';
import type { StackOptions } from './stack-options';
import type { ProcessListener } from './stack-process';

export interface Servers {
  /** Each user's own address of NATS; the same for all where an existing server is used. */
  natsUrls: Record<NatsUserName, string>;
  databaseUrl: string;
  /** The embedded ones, in the order in which they are stopped; empty when both exist already. */
  processes: ServerProcess[];
}

/** Starts Postgres and nats-server, each unless an existing one is named. Their data stay in the data folder. */
export async function startServers(options: StackOptions, listener: ProcessListener): Promise<Servers> {
  const { dataFolder } = options;
  const logs = { nats: join(dataFolder, 'logs', 'nats.log'), postgres: join(dataFolder, 'logs', 'postgres.log') };
  const nats = options.natsUrl
    ? null
    : startNatsServer({
        folder: join(dataFolder, 'nats'),
        port: options.natsPort,
        logFile: logs.nats,
        extraConfig: natsAuthorization(dataFolder),
      });
  const postgres = options.databaseUrl
    ? null
    : startPostgres({
        folder: join(dataFolder, 'postgres'),
        port: options.postgresPort,
        logFile: logs.postgres,
        durable: options.durable ?? true,
      });
  const started = await bothOrNone(nats, postgres);
  const supervise = (name: 'nats' | 'postgres', server: EmbeddedServer | null) =>
    server ? [new ServerProcess(name, server, logs[name], listener)] : [];
  return {
    natsUrls: natsUrls(options.natsUrl ?? null, started.nats?.url ?? '', dataFolder),
    databaseUrl: options.databaseUrl ?? started.postgres?.url ?? '',
    processes: [...supervise('nats', started.nats), ...supervise('postgres', started.postgres)],
  };
}

/** When one of the two cannot start, the other is stopped again. */
async function bothOrNone(
  nats: Promise<EmbeddedServer> | null,
  postgres: Promise<EmbeddedServer> | null,
): Promise<{ nats: EmbeddedServer | null; postgres: EmbeddedServer | null }> {
  const results = await Promise.allSettled([nats, postgres]);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return { nats: await nats, postgres: await postgres };
  for (const result of results) if (result.status === 'fulfilled') await result.value?.stop();
  throw new StackError(failure.reason instanceof Error ? failure.reason.message : String(failure.reason));
}
