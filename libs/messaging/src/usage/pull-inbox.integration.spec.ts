import { usageStream } from '@tollgate/contracts';
import { eventually, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { JetStreamManager, Msg, NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectToNats } from '../connection/connect-to-nats';
import { PullInbox } from './pull-inbox';
import { ackWaitMs, createEventStream, ensureUsageStreams } from './usage-streams';

const logger = pino({ level: 'silent' });
const { name: stream, consumer, subject } = usageStream;

describe('pulling from a real JetStream', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let manager: JetStreamManager;
  let inbox: PullInbox;
  let unserved: jest.Mock;
  let seen: string[];

  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test', logger });
    await ensureUsageStreams(connection, logger);
    manager = await connection.jetstreamManager();
    unserved = jest.fn();
    seen = [];
  });
  afterEach(async () => {
    inbox.close();
    await connection.close();
    await nats.stop();
  });

  /** `expiresMs`: how long a request stays open. */
  function pull(expiresMs: number): void {
    inbox = new PullInbox(connection, { stream, consumer, maxBuffered: 64, expiresMs, ackWaitMs, unserved });
    void takeAll();
  }

  async function takeAll(): Promise<void> {
    for (let taken = await inbox.take(8); taken.length > 0; taken = await inbox.take(8)) taken.forEach(finish);
  }

  function finish(message: Msg): void {
    seen.push(message.string());
    inbox.answer(message, '+ACK');
  }

  const waitingRequests = async (): Promise<number> => (await manager.consumers.info(stream, consumer)).num_waiting;

  it('has one request open, however often it asked anew', async () => {
    const published = jest.spyOn(connection, 'publish');
    // What looks at the consumer asks over this connection, too.
    const asked = () => published.mock.calls.filter(([to]) => to.includes('MSG.NEXT')).length;
    pull(1_500);
    for (let i = 0; i < 5; i++) inbox.renew();
    expect(asked()).toBe(6);
    // Those of before expire with it, and nobody asks again in their place.
    await eventually(() => asked() >= 8);
    expect(asked()).toBeLessThan(6 + 5);
    await eventually(async () => (await waitingRequests()) <= 1);
    connection.publish(subject, 'one');
    await eventually(() => seen.length === 1);
  });

  it('brings all that there are in one batch, and nothing while nobody wants any', async () => {
    for (let i = 0; i < 40; i++) connection.publish(subject, `event-${i}`);
    await eventually(async () => (await manager.streams.info(stream)).state.messages === 40);
    inbox = new PullInbox(connection, { stream, consumer, maxBuffered: 128, expiresMs: 4_000, ackWaitMs, unserved });
    const first = await inbox.take(64);
    expect(first).toHaveLength(40);
    first.forEach(finish);
    for (let i = 0; i < 5; i++) connection.publish(subject, `later-${i}`);
    await eventually(async () => (await manager.streams.info(stream)).state.messages === 5);
    expect(await manager.consumers.info(stream, consumer)).toMatchObject({ num_waiting: 0, num_ack_pending: 0 });
    expect(await inbox.take(64)).toHaveLength(5);
  });

  it('gets what is left beside one of the release before, whose request stays open for what comes', async () => {
    const older = connection.subscribe('_INBOX.older');
    const request = JSON.stringify({ batch: 3, expires: 60_000_000_000 });
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, request, { reply: '_INBOX.older' });
    pull(4_000);
    await eventually(async () => (await waitingRequests()) === 2);
    for (let i = 0; i < 20; i++) connection.publish(subject, `event-${i}`);
    await eventually(() => seen.length + older.getReceived() === 20);
    expect(older.getReceived()).toBe(3);
  });

  it('asks anew soon when its request is over before its time, and hears of a consumer that is gone', async () => {
    pull(600_000);
    await eventually(async () => (await waitingRequests()) === 1);
    await manager.consumers.delete(stream, consumer);
    await eventually(() => unserved.mock.calls.length > 0);
    await ensureUsageStreams(connection, logger);
    inbox.renew();
    connection.publish(subject, 'one');
    await eventually(() => seen.length === 1);
  });

  it('is told again while only a part of what was lost is made anew, and then gets each message once', async () => {
    pull(4_000);
    await eventually(async () => (await waitingRequests()) === 1);
    await manager.streams.delete(stream);
    await eventually(() => unserved.mock.calls.length === 1);
    // As those who store events do: the consumer is metering's.
    await createEventStream(connection);
    for (let i = 0; i < 20; i++) connection.publish(subject, `event-${i}`);
    inbox.renew();
    await eventually(() => unserved.mock.calls.length === 2);
    await ensureUsageStreams(connection, logger);
    inbox.renew();
    await eventually(() => seen.length === 20);
    expect(new Set(seen).size).toBe(20);
    await eventually(async () => (await manager.streams.info(stream)).state.messages === 0);
    expect(seen).toHaveLength(20);
  });
});
