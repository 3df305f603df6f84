import { createInbox } from 'nats';
import type { NatsConnection } from 'nats';
import { z } from 'zod';

/** Where the client library keeps the prefix it was given; it has no public way to it. */
const withPrefix = z.object({ options: z.object({ inboxPrefix: z.string().optional() }) });

/** A new subject for replies, below the prefix of this connection's user: it may hear no other. */
export function newInbox(connection: NatsConnection): string {
  return createInbox(withPrefix.safeParse(connection).data?.options.inboxPrefix);
}
