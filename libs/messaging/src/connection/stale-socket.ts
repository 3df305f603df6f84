import type { Logger } from '@tollgate/observability';
import { DebugEvents, Events } from 'nats';
import type { NatsConnection } from 'nats';
import { Socket } from 'node:net';
import { z } from 'zod';

/** Where the client library keeps its socket; it has no public way to it. */
const withSocket = z.object({
  protocol: z.object({ transport: z.object({ socket: z.instanceof(Socket).optional() }) }),
});

/**
 * Breaks a connection that the client library found dead but cannot leave: it first waits until its last bytes are written, which never happens when the
 * peer vanished with the send buffer full (nats 2.29, `NodeTransport._closed`). Without this, only the system's TCP timeout, some 15 minutes, would end it.
 */
export async function breakStaleConnections(
  connection: NatsConnection,
  logger: Logger,
  afterMs = 1_000,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) clearTimeout(timer);
    else if (type === DebugEvents.StaleConnection) {
      clearTimeout(timer);
      timer = setTimeout(() => {
        logger.warn('the connection to NATS is dead; making a new one');
        withSocket.safeParse(connection).data?.protocol.transport.socket?.destroy();
      }, afterMs);
    }
  }
  clearTimeout(timer);
}
