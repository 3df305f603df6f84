import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingLink } from './messaging-link';

/** A connection that stands and whose server never answers a ping. `inMsgs`: messages that came from it so far. */
function connectionTo(server: { inMsgs: number; isGone: boolean }): NatsConnection {
  const never = new Promise<never>(() => undefined);
  const connection: Pick<NatsConnection, 'isClosed' | 'rtt' | 'stats' | 'status'> = {
    isClosed: () => server.isGone,
    rtt: () => never,
    stats: () => ({ inMsgs: server.inMsgs, outMsgs: 0, inBytes: 0, outBytes: 0 }),
    status: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }),
  };
  return connection as NatsConnection;
}

it('takes NATS for away when nothing comes from it, not when only an answer waits behind other messages', async () => {
  const server = { inMsgs: 0, isGone: false };
  const traffic = setInterval(() => (server.inMsgs += 1), 50);
  const link = new MessagingLink(connectionTo(server));
  let told = 0;
  link.onceAway(() => (told += 1));
  link.onceAway(() => (told += 10))();
  await sleep(2_500);
  expect([link.isUp, told]).toEqual([true, 0]);
  clearInterval(traffic);
  await sleep(2_500);
  expect([link.isUp, told]).toEqual([false, 1]);
  server.isGone = true;
}, 15_000);
