import { instanceSubjects, runningInstance } from '@tollgate/contracts';
import type { RunningInstance } from '@tollgate/contracts';
import { version } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { publishJson, subscribeJson } from '../notices/notices';

/**
 * From now on this process tells who it is whenever somebody asks, until its connection is closed. `release` is another one in tests.
 * A server that does not know these subjects yet refuses them, which the connection logs; everything else goes on.
 */
export function tellInstance(connection: NatsConnection, service: string, release: string = version): void {
  const told: RunningInstance = {
    service,
    version: release,
    instance: `${hostname()}/${process.pid}`,
    startedAt: Math.round(Date.now() - process.uptime() * 1_000),
  };
  subscribeJson(connection, instanceSubjects.ask, z.object({}), () =>
    publishJson(connection, instanceSubjects.told, told),
  );
}

/** Every instance that tells of itself within `waitMs`, by service, then by age; none while NATS is away. One that is older than this question is not among them. */
export async function askInstances(connection: NatsConnection, waitMs: number): Promise<RunningInstance[]> {
  if (connection.isClosed()) return [];
  const instances = new Map<string, RunningInstance>();
  const keep = (one: RunningInstance): void => void instances.set(JSON.stringify(one), one);
  const heard = subscribeJson(connection, instanceSubjects.told, runningInstance, keep);
  publishJson(connection, instanceSubjects.ask, {});
  await sleep(waitMs);
  heard.unsubscribe();
  return [...instances.values()].sort(
    (one, other) => one.service.localeCompare(other.service) || one.startedAt - other.startedAt,
  );
}
