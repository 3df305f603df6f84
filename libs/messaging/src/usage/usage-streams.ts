import { usageStream } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { AckPolicy, NatsError, RetentionPolicy, StorageType, nanos } from 'nats';
import type { ConsumerConfig, JetStreamManager, NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { copiesWanted, keepCopies, lacksPlace } from './stream-copies';
import type { StreamCopies } from './stream-copies';

/** The error code of JetStream for a stream that exists with other settings: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const streamExists = 10058;

/** Without this action JetStream refuses a consumer that an older release made with other settings. */
const createOrUpdate = '';

/** What the client library's `add` takes; its public type leaves the action out (nats 2.29, `ConsumerAPIImpl`). */
interface ConsumerMaker {
  add(stream: string, config: Partial<ConsumerConfig>, action: typeof createOrUpdate): Promise<unknown>;
}

/** How long a delivered message may stay without a word (an acknowledgement, or that work goes on) before it is delivered again, milliseconds. */
export const ackWaitMs = 1_500;

/**
 * Makes the streams of usage events and of dead letters, and metering's durable consumer, where they are missing. Both are kept in files; an event leaves
 * the first when metering acknowledged it, a dead letter stays. Tries again every second until JetStream does it, and logs why it did not. `copies`: how many JetStream is
 * to keep; null: as many as its cluster is for.
 */
export async function ensureUsageStreams(
  connection: NatsConnection,
  logger: Logger = createLogger('messaging'),
  copies: number | null = null,
): Promise<void> {
  for (;;) {
    try {
      await createUsageStreams(connection, copies);
      await keepCopies(connection, copies, logger);
      return;
    } catch (error) {
      if (connection.isClosed()) throw error;
      logger.warn({ err: error }, 'JetStream is not ready for usage events; trying again in a second');
      await sleep(1_000);
    }
  }
}

/** Makes the stream of usage events where it is missing: all that those who store events may, and need. The rest is metering's. */
export async function createEventStream(connection: NatsConnection, copies: number | null = null): Promise<void> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  await createStream(
    manager,
    usageStream.name,
    usageStream.subject,
    RetentionPolicy.Workqueue,
    copiesWanted(connection, copies),
  );
}

async function createUsageStreams(connection: NatsConnection, copies: number | null): Promise<void> {
  await createEventStream(connection, copies);
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const { deadLetterName, deadLetterSubject } = usageStream;
  await createStream(
    manager,
    deadLetterName,
    deadLetterSubject,
    RetentionPolicy.Limits,
    copiesWanted(connection, copies),
  );
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

async function createStream(
  manager: JetStreamManager,
  name: string,
  subject: string,
  retention: RetentionPolicy,
  copies: number,
): Promise<void> {
  try {
    await manager.streams.add({
      name,
      subjects: [subject],
      retention,
      storage: StorageType.File,
      num_replicas: copies,
      duplicate_window: nanos(120_000),
    });
  } catch (error) {
    // An older release made it: its settings stay as they are.
    if (error instanceof NatsError && error.api_error?.err_code === streamExists) return;
    // Usage is kept at once, in one copy; more are made when there is a place for them.
    if (copies === 1 || !lacksPlace(error)) throw error;
    await createStream(manager, name, subject, retention, 1);
  }
}

/** Messages that metering did not acknowledge yet (each holds one or more events), messages in the dead letter stream, and how many copies JetStream keeps of both at least. */
export interface StreamState {
  messages: number;
  deadLetters: number;
  copies: StreamCopies;
}

/** @throws what JetStream says when it does not answer. */
export async function usageBacklog(connection: NatsConnection, copies: number | null = null): Promise<StreamState> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  const events = await manager.streams.info(usageStream.name);
  const dead = await manager.streams.info(usageStream.deadLetterName);
  return {
    messages: events.state.messages,
    deadLetters: dead.state.messages,
    copies: {
      kept: Math.min(events.config.num_replicas, dead.config.num_replicas),
      wanted: copiesWanted(connection, copies),
    },
  };
}
