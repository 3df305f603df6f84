import { eventually } from '@tollgate/testing';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessagingLink } from './messaging-link';

/**
 * A connection that stands and whose server answers no ping before `answer` is called, but sends something
 * between any two looks at what came while it `talks`.
 */
class Server {
  looks = 0;
  talks = true;
  isGone = false;
  /** What the connection tells of itself as soon as it is watched. */
  events: Events[] = [];
  answer: () => void = () => undefined;
  /** What it tells of itself later. */
  tell: (type: Events) => void = () => undefined;
  private inMsgs = 0;

  get connection(): NatsConnection {
    const next = async (): Promise<IteratorResult<{ type: Events; data: string }>> => {
      const type = this.events.shift() ?? (await new Promise<Events>((resolve) => (this.tell = resolve)));
      return { value: { type, data: '' }, done: false };
    };
    const ping = (): Promise<number> => new Promise((resolve) => (this.answer = () => resolve(1)));
    const connection: Pick<NatsConnection, 'isClosed' | 'rtt' | 'stats' | 'status'> = {
      isClosed: () => this.isGone,
      rtt: ping,
      stats: () => this.look(),
      status: () => ({ [Symbol.asyncIterator]: () => ({ next }) }),
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

it('says nothing of a connection that is back at once, and that NATS is away when it is not', async () => {
  const server = new Server();
  server.events = [Events.Disconnect, Events.Reconnect];
  const back = new MessagingLink(server.connection);
  const told = jest.fn();
  back.onceAway(told);
  const away = new Server();
  away.events = [Events.Disconnect];
  const gone = new MessagingLink(away.connection);
  expect([back.isUp, gone.isUp]).toEqual([true, true]);
  await eventually(() => !gone.isUp);
  expect([back.isUp, told.mock.calls.length]).toEqual([true, 0]);
  server.isGone = true;
  away.isGone = true;
});

it.each([
  ['before its question ends', (server: Server) => (server.tell(Events.Disconnect), server.answer())],
  ['after its question ended', (server: Server) => (server.answer(), server.tell(Events.Disconnect))],
])('keeps NATS for away whose connection breaks because it was silent: %s', async (_when, breaks) => {
  const server = new Server();
  const link = new MessagingLink(server.connection);
  server.talks = false;
  await eventually(() => !link.isUp);
  breaks(server);
  const seen = new Set<boolean>();
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    seen.add(link.isUp);
  }
  expect([...seen]).toEqual([false]);
  server.tell(Events.Reconnect);
  await eventually(() => link.isUp);
  server.isGone = true;
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
