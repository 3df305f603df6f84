import { eventually } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { MessagingLink } from './messaging-link';

/**
 * A connection that stands and whose server answers no ping before `answer` is called, but sends something
 * between any two looks at what came while it `talks`.
 */
class Server {
  looks = 0;
  talks = true;
  isGone = false;
  answer: () => void = () => undefined;
  private inMsgs = 0;

  get connection(): NatsConnection {
    const never = new Promise<never>(() => undefined);
    const ping = (): Promise<number> => new Promise((resolve) => (this.answer = () => resolve(1)));
    const connection: Pick<NatsConnection, 'isClosed' | 'rtt' | 'stats' | 'status'> = {
      isClosed: () => this.isGone,
      rtt: ping,
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

it('waits for a server that fell silent just now, and for none that is gone', async () => {
  const server = new Server();
  const link = new MessagingLink(server.connection);
  expect(await link.isUpSoon()).toBe(true);
  server.talks = false;
  await eventually(() => !link.isUp);
  const isUpSoon = link.isUpSoon();
  server.answer();
  expect(await isUpSoon).toBe(true);
  server.isGone = true;
  expect(await link.isUpSoon()).toBe(false);
});

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
