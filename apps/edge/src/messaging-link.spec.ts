import { eventually } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { MessagingLink } from './messaging-link';

/** A connection that stands and whose server never answers a ping, but sends something between any two looks at what came while it `talks`. */
class Server {
  looks = 0;
  talks = true;
  isGone = false;
  private inMsgs = 0;

  get connection(): NatsConnection {
    const never = new Promise<never>(() => undefined);
    const connection: Pick<NatsConnection, 'isClosed' | 'rtt' | 'stats' | 'status'> = {
      isClosed: () => this.isGone,
      rtt: () => never,
      stats: () => this.look(),
      status: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }),
    };
    return connection as NatsConnection;
  }

  private look(): ReturnType<NatsConnection['stats']> {
    this.looks += 1;
    if (this.talks) this.inMsgs += 1;
    return { inMsgs: this.inMsgs, outMsgs: 0, inBytes: 0, outBytes: 0 };
  }
}

it('takes NATS for away when nothing comes from it, not when only an answer waits behind other messages', async () => {
  const server = new Server();
  const link = new MessagingLink(server.connection);
  let told = 0;
  link.onceAway(() => (told += 1));
  link.onceAway(() => (told += 10))();
  await eventually(() => server.looks > 3);
  expect([link.isUp, told]).toEqual([true, 0]);
  server.talks = false;
  await eventually(() => !link.isUp);
  expect(told).toBe(1);
  server.isGone = true;
});
