import { instanceSubjects, runningInstance } from '@tollgate/contracts';
import type { RunningInstance } from '@tollgate/contracts';
import { version } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { publishJson } from './notices';

/** How often a server that does not know these subjects yet is tried again. */
const retryMs = 30_000;

/**
 * From now on this process tells who it is whenever somebody asks, until its connection is closed. A server
 * that has not read its users since an upgrade refuses that, which the connection logs; it is tried again
 * every half minute, and everything else goes on. `release` and `againMs` are others in tests.
 */
export function tellInstance(
  connection: NatsConnection,
  service: string,
  { release = version, againMs = retryMs }: { release?: string; againMs?: number } = {},
): void {
  const told: RunningInstance = {
    service,
    version: release,
    instance: `${hostname()}/${process.pid}`,
    startedAt: Math.round(Date.now() - process.uptime() * 1_000),
  };
  const listen = (): void => {
    if (connection.isClosed()) return;
    connection.subscribe(instanceSubjects.ask, {
      callback: (error) => {
        if (error) setTimeout(listen, againMs).unref();
        else publishJson(connection, instanceSubjects.told, told);
      },
    });
  };
  listen();
}

/**
 * Every instance that tells of itself within `waitMs`, by service, then by age; none while NATS is away. One
 * that is older than this question is not among them.
 * Null: the server does not let this user hear of instances, because it has not read its users since an
 * upgrade.
 */
export async function askInstances(connection: NatsConnection, waitMs: number): Promise<RunningInstance[] | null> {
  if (connection.isClosed()) return [];
  const instances = new Map<string, RunningInstance>();
  let isRefused = false;
  const heard = connection.subscribe(instanceSubjects.told, {
    callback: (error, message) => {
      if (error) isRefused = true;
      else for (const one of readInstance(message.string())) instances.set(JSON.stringify(one), one);
    },
  });
  publishJson(connection, instanceSubjects.ask, {});
  await sleep(waitMs);
  heard.unsubscribe();
  if (isRefused) return null;
  return [...instances.values()].sort(
    (one, other) => one.service.localeCompare(other.service) || one.startedAt - other.startedAt,
  );
}

/** None where it cannot be read. */
function readInstance(text: string): RunningInstance[] {
  try {
    return [runningInstance.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}
