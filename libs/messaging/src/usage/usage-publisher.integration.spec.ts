import { usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { DiscardPolicy, ErrorCode, nanos, NatsError, RetentionPolicy } from 'nats';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToNats } from '../connection/connect-to-nats';
import { anEvent } from '../testing/generation-fixtures';
import { KeptUsage } from './kept-usage';
import { UsageConsumer } from './usage-consumer';
import { UsagePublisher } from './usage-publisher';
import { ackWaitMs, ensureUsageStreams, usageBacklog } from './usage-streams';

const logger = pino({ level: 'silent' });

describe('usage events that are stored in a real JetStream', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let publisher: UsagePublisher;
  let consumer: UsageConsumer | null;
  let counted: Map<string, number>;

  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test', logger });
    await ensureUsageStreams(connection, logger);
    publisher = new UsagePublisher(connection, { logger, resendAfterMs: 400 });
    consumer = null;
    counted = new Map();
  });
  afterEach(async () => {
    await consumer?.stop();
    publisher.close();
    await connection.close();
    await nats.stop();
  });

  const count = async (events: UsageEvent[]): Promise<void> => {
    for (const { id } of events) counted.set(id, (counted.get(id) ?? 0) + 1);
  };

  /**
   * Nothing is delivered again because this process stood still for a while, unless `waitMs` says when: a
   * server that is killed may have given away what never came.
   */
  async function consume(handler = count, waitMs = 600_000): Promise<void> {
    consumer = new UsageConsumer(connection, handler, { logger });
    await consumer.start();
    const { consumers } = await connection.jetstreamManager();
    await consumers.update(usageStream.name, usageStream.consumer, { ack_wait: nanos(waitMs) });
  }

  it('keeps what JetStream has no room for, and stores it when there is room again', async () => {
    const manager = await connection.jetstreamManager();
    await manager.streams.update(usageStream.name, { max_msgs: 1, discard: DiscardPolicy.New });
    publisher.publish(anEvent('fits'));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    publisher.publish(anEvent('too much'));
    expect(await publisher.flush(1_000)).toBe(false);
    await manager.streams.update(usageStream.name, { max_msgs: -1 });
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    await consume();
    await eventually(() => counted.size === 2);
  });

  it('delivers what was published, once each when nothing fails, in fewer messages than events', async () => {
    let batches = 0;
    await consume(async (events) => {
      batches++;
      await count(events);
    });
    for (let i = 0; i < 1_000; i++) publisher.publish(anEvent(`event-${i}`));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    await eventually(() => counted.size === 1_000);
    expect([...counted.values()].every((times) => times === 1)).toBe(true);
    expect(batches).toBeLessThan(40);
    expect((await connection.jetstreamManager().then((m) => m.streams.info(usageStream.name))).state.last_seq).toBe(16);
  });

  it('sends again what JetStream acknowledged and lost with its store', async () => {
    for (const id of ['one', 'two', 'three']) {
      publisher.publish(anEvent(id));
      expect(await publisher.flush(5_000 * patience)).toBe(true);
    }
    await nats.kill();
    await rm(join(nats.folder, 'jetstream'), { recursive: true });
    await nats.start();
    publisher.publish(anEvent('four'));
    await eventually(() => publisher.pending === 0);
    await consume();
    await eventually(() => counted.size === 4);
    expect([...counted.values()]).toEqual([1, 1, 1, 1]);
  });

  it('goes on to deliver when the store was lost while it runs', async () => {
    await consume();
    await nats.kill();
    await rm(join(nats.folder, 'jetstream'), { recursive: true });
    await nats.start();
    publisher.publish(anEvent('after'));
    await eventually(() => counted.has('after'));
    expect((await usageBacklog(connection)).deadLetters).toBe(0);
  });

  it('sends it again without having anything new to send, when others have passed its place', async () => {
    const request = jest.spyOn(connection, 'request');
    const first = new UsagePublisher(connection, { logger, resendAfterMs: 400 });
    // The publisher of all these tests asks on this connection too.
    const hasSeenStream = () => request.mock.calls.filter(([subject]) => subject.includes('STREAM.INFO')).length >= 2;
    first.publish(anEvent('one'));
    await eventually(() => hasSeenStream() && first.pending === 0);
    await Promise.all(request.mock.results.map(({ value }) => value as unknown));
    await nats.kill();
    await rm(join(nats.folder, 'jetstream'), { recursive: true });
    await nats.start();
    const other = await connectToNats({ url: nats.url, name: 'other', logger });
    const others = new UsagePublisher(other, { logger });
    for (const id of ['two', 'three']) {
      others.publish(anEvent(id));
      await eventually(() => others.pending === 0);
    }
    await consume();
    await eventually(() => counted.size === 3);
    for (const one of [first, others]) one.close();
    await other.close();
  });

  it('takes no acknowledgement of a former stream, that comes late, for one of the stream of now', async () => {
    const late: (() => void)[] = [];
    const subscribe = connection.subscribe.bind(connection);
    jest.spyOn(connection, 'subscribe').mockImplementationOnce((subject, options) =>
      subscribe(subject, {
        ...options,
        callback: (error, message) => void late.push(() => options?.callback?.(error, message)),
      }),
    );
    // It sends again after a loss of the connection only.
    const slow = new UsagePublisher(connection, { logger, resendAfterMs: 3_600_000 });
    slow.publish(anEvent('one'));
    await eventually(() => late.length === 1);
    await nats.kill();
    await rm(join(nats.folder, 'jetstream'), { recursive: true });
    await nats.start();
    // What was sent again found no stream.
    await eventually(() => late.length === 2);
    await ensureUsageStreams(connection, logger);
    publisher.publish(anEvent('two'));
    expect(await publisher.flush(5_000 * patience)).toBe(true);

    for (const hear of late.splice(0)) hear();
    expect(slow.pending).toBe(1);
    await nats.restart();
    await eventually(() => late.length > 0);
    for (const hear of late.splice(0)) hear();
    expect(slow.pending).toBe(0);
    await consume();
    await eventually(() => counted.size === 2);
    slow.close();
  });

  it('asks for the stream once where NATS does not permit that, and stores usage all the same', async () => {
    const forbidden = new NatsError('not permitted', ErrorCode.PermissionsViolation);
    const look = jest.spyOn(connection, 'jetstreamManager').mockRejectedValue(forbidden);
    const quick = new UsagePublisher(connection, { logger, resendAfterMs: 40 });
    quick.publish(anEvent('one'));
    await eventually(() => quick.pending === 0);
    await sleep(300);
    // The publisher of all these tests asks on this connection too.
    expect(look.mock.calls.length).toBeLessThanOrEqual(2);
    quick.close();
  });

  it('gathers events while others are being stored, and tells when each was sent', async () => {
    const published = jest.spyOn(connection, 'publish');
    const gathering = new UsagePublisher(connection, { logger, gatherMs: 200, resendAfterMs: 3_600_000 });
    // Others ask about their stream over the same connection.
    const batches = () => published.mock.calls.filter(([subject]) => subject === usageStream.subject).length;
    const order: string[] = [];
    const publish = (id: string) => gathering.publish(anEvent(id), () => order.push(`${id} after ${batches()}`));
    publish('first');
    gathering.sendUnlessStoring();
    for (let i = 0; i < 50; i++) {
      publish(`${i}`);
      gathering.sendUnlessStoring();
    }
    expect(order).toEqual(['first after 1']);
    expect(await gathering.flush(5_000 * patience)).toBe(true);
    expect(batches()).toBe(2);
    expect(order).toHaveLength(51);
    expect(order.slice(1).every((line) => line.endsWith('after 2'))).toBe(true);
    gathering.close();
  });

  it('gathers no longer than it may when nothing is acknowledged, and tells also while nothing can be sent', async () => {
    const gathering = new UsagePublisher(connection, { logger, gatherMs: 20 });
    await nats.pause();
    gathering.publish(anEvent('first'));
    gathering.send();
    await new Promise<void>((resolve) => gathering.publish(anEvent('second'), resolve));
    expect(gathering.pending).toBe(2);
    await nats.kill();
    await new Promise<void>((resolve) => gathering.publish(anEvent('third'), resolve));
    expect(gathering.pending).toBe(3);
    await nats.start();
    await eventually(() => gathering.pending === 0);
    gathering.close();
  });

  it('keeps events while nats-server is away, killed with some under way, and delivers them all without a restart of anybody', async () => {
    await consume(count, ackWaitMs);
    for (let i = 0; i < 200; i++) publisher.publish(anEvent(`before-${i}`));
    publisher.send();
    await nats.kill();
    for (let i = 0; i < 200; i++) publisher.publish(anEvent(`during-${i}`));
    await sleep(300);
    expect(publisher.pending).toBeGreaterThanOrEqual(200);
    await nats.start();
    const backAt = performance.now();
    await eventually(() => counted.size === 400);
    expect(performance.now() - backAt).toBeLessThan(10_000 * patience);
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    for (let i = 0; i < 10; i++) publisher.publish(anEvent(`after-${i}`));
    await eventually(() => counted.size === 410);
  });

  it('keeps what is stored through a kill of nats-server', async () => {
    for (let i = 0; i < 100; i++) publisher.publish(anEvent(`event-${i}`));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    await nats.kill();
    await nats.start();
    await consume();
    await eventually(() => counted.size === 100);
  });

  it('keeps what was acknowledged for some hours, and finds it by its time', async () => {
    const kept = new KeptUsage(connection);
    expect(await kept.firstSince(0)).toBeNull();
    await consume();
    for (const id of ['one', 'two', 'three']) {
      publisher.publish(anEvent(id));
      expect(await publisher.flush(5_000 * patience)).toBe(true);
      // Times are told to the millisecond.
      await sleep(5);
    }
    await eventually(async () => counted.size === 3 && (await usageBacklog(connection)).messages === 0);
    await eventually(async () => (await kept.read(1, 10)).events.length === 3);
    const manager = await connection.jetstreamManager();
    const { time } = await manager.streams.getMessage(usageStream.keptName, { seq: 2 });
    expect([await kept.firstSince(0), await kept.firstSince(time.getTime())]).toEqual([1, 2]);
    expect(await kept.firstSince(time.getTime() + 3_600_000)).toBeNull();
    expect(await kept.read(1, 2)).toMatchObject({ events: [{ id: 'one' }, { id: 'two' }], problems: [], next: 3 });
    expect(await kept.read(3, 2)).toMatchObject({ events: [{ id: 'three' }], next: null });
  });

  it('also keeps what goes through a stream that an older release made', async () => {
    const manager = await connection.jetstreamManager();
    await manager.streams.delete(usageStream.name);
    const { name, subject } = usageStream;
    await manager.streams.add({ name, subjects: [subject], retention: RetentionPolicy.Workqueue });
    publisher.publish(anEvent('before'));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    await ensureUsageStreams(connection, logger);
    publisher.publish(anEvent('after'));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    await eventually(async () => (await new KeptUsage(connection).read(1, 10)).events.length === 1);
    await consume();
    await eventually(() => counted.size === 2);
  });

  it('makes the streams again when the store was lost, and then stores what it kept', async () => {
    const manager = await connection.jetstreamManager();
    await manager.streams.delete(usageStream.name);
    publisher.publish(anEvent('kept'));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    expect((await usageBacklog(connection)).messages).toBe(1);
  });

  it('refuses further work at its bound instead of losing events, and still keeps what running work adds', async () => {
    await nats.kill();
    await sleep(100);
    const small = new UsagePublisher(connection, { logger, maxPending: 10 });
    for (let i = 0; i < 15; i++) small.publish(anEvent(`event-${i}`));
    expect(small.hasRoom).toBe(false);
    expect(small.pending).toBe(15);
    await nats.start();
    await eventually(() => small.hasRoom && small.pending === 0);
    small.close();
  });

  it('writes an event that it cannot keep to the log, in full', async () => {
    await nats.kill();
    await sleep(100);
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
    const small = new UsagePublisher(connection, { logger: log, maxPending: 1 });
    for (let i = 0; i < 3; i++) small.publish(anEvent(`event-${i}`, 7));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ event: anEvent('event-2', 7) });
    small.close();
  });
});
