import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';

/** A standing subscription; `unsubscribe` ends it. */
export interface NoticeSubscription {
  unsubscribe(): void;
}

/**
 * Tells everyone who listens now. Nobody learns whether it arrived: what must not be lost carries a revision,
 * so that a gap is seen.
 */
export function publishJson(connection: NatsConnection, subject: string, notice: object): void {
  if (!connection.isClosed()) connection.publish(subject, JSON.stringify(notice));
}

/**
 * Hears notices that parse; others, and faults of the handler, are logged. Notices sent while the connection
 * was away are missed.
 */
export function subscribeJson<Schema extends z.ZodType>(
  connection: NatsConnection,
  subject: string,
  schema: Schema,
  handler: (notice: z.output<Schema>) => void | Promise<void>,
  logger: Logger = createLogger('messaging'),
): NoticeSubscription {
  const hear = async (data: Uint8Array): Promise<void> => {
    try {
      await handler(schema.parse(JSON.parse(Buffer.from(data).toString())));
    } catch (error) {
      logger.error({ err: error, subject }, 'a notice could not be handled');
    }
  };
  return connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) logger.error({ err: error, subject }, 'a subscription failed');
      else void hear(message.data);
    },
  });
}
