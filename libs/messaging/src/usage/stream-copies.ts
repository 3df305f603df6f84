import { usageStream } from '@tollgate/contracts';
import { catalogMemory } from '@tollgate/contracts/catalog';
import type { Logger } from '@tollgate/observability';
import { NatsError } from 'nats';
import type { JetStreamManager, NatsConnection, StreamInfo } from 'nats';

/** How many copies there are of a stream, and how many there should be. */
export interface StreamCopies {
  kept: number;
  wanted: number;
}

/** More cost every write and protect little; of two servers neither goes on without the other. */
const mostUseful = 3;

/** Every stream that the services have, those of usage first; the last is the bucket's. */
const { name: events, deadLetterName, keptName } = usageStream;
const streams = [events, deadLetterName, keptName, catalogMemory.stream];

/**
 * What JetStream says where it cannot keep so many copies: too few servers, or none that has room.
 * @see https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
const noPlace = [10005, 10023, 10074];

/**
 * What JetStream says of a stream that nobody made.
 * https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
const noSuchStream = 10059;

/**
 * The most that were wanted on a connection: servers that are away are not among those that the others know.
 */
const mostWanted = new WeakMap<object, number>();

/**
 * As many as the setting says; else three where the server knows, or knew on this connection, of a cluster
 * that large, and one in a smaller one.
 */
export function copiesWanted(connection: Pick<NatsConnection, 'info'>, setting: number | null = null): number {
  if (setting !== null) return setting;
  const { info } = connection;
  const servers = info?.cluster === undefined ? 1 : (info.connect_urls?.length ?? 1);
  const wanted = Math.max(servers >= mostUseful ? mostUseful : 1, mostWanted.get(connection) ?? 1);
  mostWanted.set(connection, wanted);
  return wanted;
}

/** Whether JetStream refused only the number of copies. */
export function lacksPlace(error: unknown): boolean {
  return error instanceof NatsError && noPlace.some((code) => error.api_error?.err_code === code);
}

/**
 * Raises the copies of every stream and of catalog's bucket to what is wanted. They are never lowered: that
 * is an operator's decision. Where JetStream has no place for more, or says nothing of a stream, that is
 * logged, and only the next call tries again. A stream that nobody made yet is made with as many as are
 * wanted.
 */
export async function keepCopies(connection: NatsConnection, setting: number | null, logger: Logger): Promise<void> {
  const wanted = copiesWanted(connection, setting);
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  for (const name of streams) await raiseCopies(manager, name, wanted, logger);
}

/**
 * How many copies there are now of the stream that has fewest; each is one that is up to date on a server
 * that runs. Of a stream that does not answer there is none.
 */
export async function copiesNow(manager: JetStreamManager): Promise<number> {
  const copies = streams.map((name) =>
    infoOf(manager, name).then(
      (info) => (info ? [copiesOf(info)] : []),
      () => [0],
    ),
  );
  return Math.min(...(await Promise.all(copies)).flat());
}

function copiesOf({ cluster }: StreamInfo): number {
  return 1 + (cluster?.replicas ?? []).filter(({ current, offline }) => current && offline !== true).length;
}

async function raiseCopies(manager: JetStreamManager, name: string, wanted: number, logger: Logger): Promise<void> {
  const isLow = async () => ((await infoOf(manager, name))?.config.num_replicas ?? wanted) < wanted;
  try {
    if (!(await isLow())) return;
    await manager.streams.update(name, { num_replicas: wanted });
    logger.info({ stream: name, copies: wanted }, 'a stream has more copies now');
  } catch (error) {
    // Another instance of metering may have raised them meanwhile.
    if (await isLow().catch(() => true))
      logger.error({ err: error, stream: name, wanted }, 'a stream has fewer copies than it should');
  }
}

/**
 * Null: there is no such stream.
 * @throws what else JetStream says, or that it says nothing.
 */
export async function infoOf(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === noSuchStream) return null;
    throw error;
  }
}
