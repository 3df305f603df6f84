import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { ErrorCode, Events } from 'nats';
import type { ConnectionOptions, NatsConnection } from 'nats';
import { addressOptions } from './nats-address';
import type { NatsAddress } from './nats-address';
import { inOrderOf, instanceOf } from './server-choice';
import { connect } from './single-transport';

const violation: string = ErrorCode.PermissionsViolation;

/** `name` is what the server's monitoring shows; `signal` ends the wait for a server, not the connection. */
export interface NatsOptions extends NatsAddress {
  name: string;
  logger?: Logger;
  signal?: AbortSignal;
}

/**
 * Connection settings of every client: reconnect for ever and soon, and find out within about ten seconds
 * when the server is there but silent.
 * Of several servers each instance has an order of its own, and leaves a silent one much sooner
 * (`server-choice.ts`).
 * @see https://github.com/nats-io/nats.js options
 */
export function connectionOptions(address: NatsAddress, name: string): ConnectionOptions {
  const options = addressOptions(address);
  const servers = inOrderOf(instanceOf(name), [options.servers ?? []].flat());
  const isOfSeveral = servers.length > 1;
  return {
    ...options,
    servers,
    // Of one name with several addresses any will do.
    noRandomize: isOfSeveral,
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    ignoreAuthErrorAbort: true,
    timeout: isOfSeveral ? 1_000 : 2_000,
    pingInterval: 5_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  };
}

/**
 * Connects to NATS. While nobody answers it tries again every second, and logs it; once connected it
 * reconnects for ever.
 * @throws the reason of `signal` once that says to end the wait; a dial under way, two seconds for each
 * server at most, is waited for.
 */
export async function connectToNats({
  name,
  logger = createLogger(name),
  signal,
  ...address
}: NatsOptions): Promise<NatsConnection> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      const connection = await connect(connectionOptions(address, name));
      if (signal?.aborted) await connection.close();
      else {
        void logRefusals(connection, logger);
        return connection;
      }
    } catch (error) {
      if (signal?.aborted) continue;
      logger.warn({ err: error }, 'NATS cannot be reached; trying again in a second');
      await sleep(1_000, undefined, { signal });
    }
  }
}

/**
 * Logs what the server does not permit: a message that nobody gets, or a subscription that hears nothing. Its
 * configuration may be older than this program.
 */
async function logRefusals(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const status of connection.status())
    if (status.type === Events.Error && status.data === violation)
      logger.error({ refused: status.permissionContext }, 'NATS does not permit this; see docs/operate.md');
}
