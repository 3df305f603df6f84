import { join } from 'node:path';
import { natsUserNames, serverAuthorization, withCredentials } from '@tollgate/messaging';
import type { NatsUserName } from '@tollgate/messaging';
import { startNatsServer, startPostgres } from '@tollgate/testing';
import { keptSecret } from './secrets';
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

/**
 * Of a Postgres that has little memory: the connections of three services (docs/cluster.md), and no process
 * that waits for work which such a machine seldom has.
 * https://www.postgresql.org/docs/18/runtime-config-resource.html
 */
export const smallPostgres = [
  ...['shared_buffers=16MB', 'maintenance_work_mem=16MB', 'max_connections=60'],
  ...['io_method=sync', 'autovacuum_max_workers=1', 'max_worker_processes=2', 'max_logical_replication_workers=0'],
];

/**
 * Go gives memory back earlier when it nears this, and has caches for two cores only:
 * https://pkg.go.dev/runtime#hdr-Environment_Variables
 */
export const smallNats = { GOMEMLIMIT: '96MiB', GOMAXPROCS: '2' };

/**
 * Starts Postgres and nats-server, each unless an existing one is named. Their data stay in the data folder.
 */
export async function startServers(options: StackOptions, listener: ProcessListener): Promise<Servers> {
  const { dataFolder, layout } = options;
  const isSmall = layout === 'compact';
  const logs = { nats: join(dataFolder, 'logs', 'nats.log'), postgres: join(dataFolder, 'logs', 'postgres.log') };
  const nats = options.natsUrl
    ? null
    : startNatsServer({
        folder: join(dataFolder, 'nats'),
        port: options.natsPort,
        logFile: logs.nats,
        extraConfig: natsAuthorization(dataFolder) + monitoring(options.natsMonitorPort),
        environment: isSmall ? smallNats : {},
      });
  const postgres = options.databaseUrl
    ? null
    : startPostgres({
        folder: join(dataFolder, 'postgres'),
        port: options.postgresPort,
        logFile: logs.postgres,
        durable: options.durable ?? true,
        settings: isSmall ? smallPostgres : [],
        ...(options.prepared && { prepared: options.prepared }),
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

/** https://docs.nats.io/running-a-nats-service/configuration/monitoring */
function monitoring(port?: number): string {
  return port === undefined ? '' : `\nhttp: "127.0.0.1:${port}"\n`;
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

/**
 * What the embedded nats-server is told of its users. Their passwords are made at the first start and kept.
 */
function natsAuthorization(dataFolder: string): string {
  return serverAuthorization((user) => JSON.stringify(passwordOf(dataFolder, user)));
}

/**
 * The address of NATS for each user. An existing server (`external` not null) is used by all as it was named,
 * with whatever names and passwords stand there.
 */
function natsUrls(external: string | null, embedded: string, dataFolder: string): Record<NatsUserName, string> {
  const urls = natsUserNames.map((user) => [
    user,
    external ?? withCredentials(embedded, user, passwordOf(dataFolder, user)),
  ]);
  return Object.fromEntries(urls) as Record<NatsUserName, string>;
}

function passwordOf(dataFolder: string, user: NatsUserName): string {
  return keptSecret(join(dataFolder, 'nats-passwords', user));
}
