import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { connect } from 'nats';
import type { ConnectionOptions, NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { breakStaleConnections } from './stale-socket';

/** `url` is the address of a NATS server, or several with commas between. `name` is what the server's monitoring shows. */
export interface NatsOptions {
  url: string;
  name: string;
  logger?: Logger;
}

/**
 * Connection settings of every client: reconnect for ever and soon, and find out within about ten seconds when the server is there but silent.
 * @see https://github.com/nats-io/nats.js options
 */
export function connectionOptions(url: string, name: string): ConnectionOptions {
  return {
    servers: url.split(','),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    ignoreAuthErrorAbort: true,
    timeout: 2_000,
    pingInterval: 5_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  };
}

/** Connects to NATS. While nobody answers it tries again every second, and logs it; once connected it reconnects for ever. */
export async function connectToNats({ url, name, logger = createLogger(name) }: NatsOptions): Promise<NatsConnection> {
  for (;;) {
    try {
      const connection = await connect(connectionOptions(url, name));
      void breakStaleConnections(connection, logger);
      return connection;
    } catch (error) {
      logger.warn({ err: error }, 'NATS cannot be reached; trying again in a second');
      await sleep(1_000);
    }
  }
}
