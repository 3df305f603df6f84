import { usageStream } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { AckPolicy, NatsError, RetentionPolicy, StorageType, nanos } from 'nats';
import type { ConsumerConfig, JetStreamManager, NatsConnection, StreamConfig } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamSight } from './stored-lately';
import { copiesNow, copiesWanted, infoOf, keepCopies, lacksPlace } from './stream-copies';
import type { StreamCopies } from './stream-copies';

/**
 * The error code of JetStream for a stream that exists with other settings:
 * https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
const streamExists = 10058;

/** Without this action JetStream refuses a consumer that an older release made with other settings. */
const createOrUpdate = '';

/**
 * What the client library's `add` takes; its public type leaves the action out (nats 2.29,
 * `ConsumerAPIImpl`).
 */
interface ConsumerMaker {
  add(stream: string, config: Partial<ConsumerConfig>, action: typeof createOrUpdate): Promise<unknown>;
}

/**
 * How long a delivered message may stay without a word (an acknowledgement, or that work goes on) before it
 * is delivered again, milliseconds. It protects no slow work, of which signs of life tell, but a process that
 * stands still for a moment: its messages come to another one, too, which stores each event once. What a
 * killed process held comes this much later, of the two seconds that are promised.
 */
export const ackWaitMs = 1_000;

const { name: events, subject, keptName, keptSubject } = usageStream;
/**
 * JetStream writes each message there as it stores it:
 * https://docs.nats.io/nats-concepts/jetstream/streams#republish
 */
const republish = { src: subject, dest: keptSubject };
/** How long usage is kept after it was acknowledged. */
const keptFor = nanos(6 * 3_600_000);
/**
 * In how many bytes at most, where JetStream has so much left for promises: the oldest goes first, and what
 * is kept takes no room from what is new.
 */
const keptBytes = [4 * 1024 ** 3, 1024 ** 3, 256 * 1024 ** 2];
/**
 * What JetStream says where it has not. https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
const noRoom = 10047;

/**
 * Makes the streams of usage events, of dead letters and of what is kept, and metering's durable consumer,
 * where they are missing. Both are kept in files; an event leaves the first when metering acknowledged it, a
 * dead letter stays. Tries again every second until JetStream does it, and logs why it did not. `copies`: how
 * many JetStream is to keep; null: as many as its cluster is for.
 */
export async function ensureUsageStreams(
  connection: NatsConnection,
  logger: Logger = createLogger('messaging'),
  copies: number | null = null,
): Promise<void> {
  for (;;) {
    try {
      await createUsageStreams(connection, copies);
      await keepAcknowledged(connection, copies, logger);
      await keepCopies(connection, copies, logger);
      return;
    } catch (error) {
      if (connection.isClosed()) throw error;
      logger.warn({ err: error }, 'JetStream is not ready for usage events; trying again in a second');
      await sleep(1_000);
    }
  }
}

/**
 * Makes the stream of usage events where it is missing: all that those who store events may, and need. The
 * rest is metering's.
 */
export async function createEventStream(connection: NatsConnection, copies: number | null = null): Promise<void> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const config = { name: events, subjects: [subject], retention: RetentionPolicy.Workqueue, republish };
  await createStream(manager, config, copiesWanted(connection, copies));
}

/**
 * The stream of usage events as JetStream tells of it. @throws what else JetStream says, or that it says
 * nothing; and where a cluster has no leader for the stream:
 * another copy may be behind.
 */
export async function eventStreamNow(connection: NatsConnection): Promise<StreamSight> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const info = await infoOf(manager, events);
  if (info?.cluster && !info.cluster.leader) throw new Error('No server leads the stream of usage now.');
  return { madeAt: info?.created ?? null, last: info?.state.last_seq ?? 0 };
}

async function createUsageStreams(connection: NatsConnection, copies: number | null): Promise<void> {
  await createEventStream(connection, copies);
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const wanted = copiesWanted(connection, copies);
  const retention = RetentionPolicy.Limits;
  const { deadLetterName, deadLetterSubject } = usageStream;
  await createStream(manager, { name: deadLetterName, subjects: [deadLetterSubject], retention }, wanted);
  const consumers: ConsumerMaker = manager.consumers;
  const config = {
    durable_name: usageStream.consumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 10_000,
    max_deliver: -1,
  };
  await consumers.add(usageStream.name, config, createOrUpdate);
}

/**
 * Has JetStream keep usage for some hours after it was acknowledged, where it does not yet. Without that
 * usage is stored all the same, and a database that lost some cannot be helped: it is no reason to wait, so a
 * failure is logged, and the next call tries again.
 */
export async function keepAcknowledged(
  connection: NatsConnection,
  copies: number | null,
  logger: Logger,
): Promise<void> {
  try {
    const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
    await createKeptStream(manager, copiesWanted(connection, copies));
  } catch (error) {
    logger.error({ err: error }, 'JetStream does not keep usage after it was acknowledged');
  }
}

/**
 * The stream of what was acknowledged, and the way there from a stream of events that an older release made.
 */
async function createKeptStream(manager: JetStreamManager, copies: number): Promise<void> {
  const config = { name: keptName, subjects: [keptSubject], retention: RetentionPolicy.Limits, max_age: keptFor };
  for (const [index, maxBytes] of keptBytes.entries()) {
    try {
      await createStream(manager, { ...config, max_bytes: maxBytes }, copies);
      break;
    } catch (error) {
      const isFull = lacksPlace(error) || (error instanceof NatsError && error.api_error?.err_code === noRoom);
      if (!isFull || index === keptBytes.length - 1) throw error;
    }
  }
  const { config: made } = await manager.streams.info(events);
  if (!made.republish) await manager.streams.update(events, { republish });
}

async function createStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
  copies: number,
): Promise<void> {
  try {
    await manager.streams.add({
      ...config,
      storage: StorageType.File,
      num_replicas: copies,
      duplicate_window: nanos(120_000),
    });
  } catch (error) {
    // An older release made it: its settings stay as they are.
    if (error instanceof NatsError && error.api_error?.err_code === streamExists) return;
    // Usage is kept at once, in one copy; more are made when there is a place for them.
    if (copies === 1 || !lacksPlace(error)) throw error;
    await createStream(manager, config, 1);
  }
}

/**
 * Messages that metering did not acknowledge yet (each holds one or more events), messages that ever came
 * (which is the number of the newest), the number of the oldest that waits (of the next to come, where none
 * does), messages in the dead letter stream, how many copies there are of every stream at least, and when the
 * stream of events was made, epoch milliseconds.
 */
export interface StreamState {
  messages: number;
  received: number;
  oldest: number;
  deadLetters: number;
  copies: StreamCopies;
  madeAt: number;
}

/** @throws what JetStream says when it does not answer. */
export async function usageBacklog(connection: NatsConnection, copies: number | null = null): Promise<StreamState> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const [waiting, dead, kept] = await Promise.all([
    manager.streams.info(events),
    manager.streams.info(usageStream.deadLetterName),
    copiesNow(manager),
  ]);
  return {
    messages: waiting.state.messages,
    received: waiting.state.last_seq,
    oldest: waiting.state.messages === 0 ? waiting.state.last_seq + 1 : waiting.state.first_seq,
    deadLetters: dead.state.messages,
    copies: { kept, wanted: copiesWanted(connection, copies) },
    madeAt: Date.parse(waiting.created),
  };
}
