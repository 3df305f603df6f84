import { usageStream } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { NatsError } from 'nats';
import type { JetStreamManager, NatsConnection } from 'nats';

/** How many copies JetStream keeps of a stream, and how many it should. */
export interface StreamCopies {
  kept: number;
  wanted: number;
}

/** More cost every write and protect little; of two servers neither goes on without the other. */
const mostUseful = 3;

/**
 * What JetStream says where it cannot keep so many copies: too few servers, or none that has room.
 * @see https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
const noPlace = [10005, 10023, 10074];
/** What it says of a stream that nobody made yet. */
const noStream = 10059;

/** As many as the setting says; else three where the server knows of a cluster that large, and one in a smaller one. */
export function copiesWanted({ info }: Pick<NatsConnection, 'info'>, setting: number | null = null): number {
  if (setting !== null) return setting;
  const servers = info?.cluster === undefined ? 1 : (info.connect_urls?.length ?? 1);
  return servers >= mostUseful ? mostUseful : 1;
}

/** Whether JetStream refused only the number of copies. */
export function lacksPlace(error: unknown): boolean {
  return noPlace.some((code) => saysCode(error, code));
}

function saysCode(error: unknown, code: number): boolean {
  return error instanceof NatsError && error.api_error?.err_code === code;
}

/**
 * Raises the copies of the streams of usage to what is wanted, and returns how many each of them has at least. They are never lowered: that is an operator's
 * decision. Where JetStream has no place for more, that is logged as an error, and tried again with the next call.
 */
export async function keepCopies(
  connection: NatsConnection,
  setting: number | null,
  logger: Logger,
): Promise<StreamCopies> {
  const wanted = copiesWanted(connection, setting);
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const kept = [];
  for (const name of [usageStream.name, usageStream.deadLetterName])
    kept.push(await raiseCopies(manager, name, wanted, logger));
  // Only needed where a database lost something: usage is stored without it, too.
  await raiseCopies(manager, usageStream.keptName, wanted, logger).catch((error: unknown) =>
    logger.warn({ err: error }, 'JetStream does not tell of the usage that it keeps'),
  );
  return { kept: Math.min(...kept), wanted };
}

async function raiseCopies(manager: JetStreamManager, name: string, wanted: number, logger: Logger): Promise<number> {
  const kept = await copiesOf(manager, name);
  // A stream that nobody made yet is made with as many as are wanted.
  if (kept === null) return wanted;
  if (kept >= wanted) return kept;
  try {
    await manager.streams.update(name, { num_replicas: wanted });
    logger.info({ stream: name, copies: wanted }, 'a stream has more copies now');
    return wanted;
  } catch (error) {
    logger.error({ err: error, stream: name, copies: kept, wanted }, 'a stream has fewer copies than it should');
    return kept;
  }
}

/** Null: there is no such stream. */
async function copiesOf(manager: JetStreamManager, name: string): Promise<number | null> {
  try {
    return (await manager.streams.info(name)).config.num_replicas;
  } catch (error) {
    if (saysCode(error, noStream)) return null;
    throw error;
  }
}
