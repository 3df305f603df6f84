import { usageStream } from '@tollgate/contracts';
import { eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { RetentionPolicy } from 'nats';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connectToNats } from '../connection/connect-to-nats';
import { anEvent } from '../testing/generation-fixtures';
import { KeptUsage } from './kept-usage';
import { UsageConsumer } from './usage-consumer';
import { UsagePublisher } from './usage-publisher';
import { ensureUsageStreams, usageBacklog } from './usage-streams';

const logger = pino({ level: 'silent' });

describe('usage that was acknowledged', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let publisher: UsagePublisher;
  let consumer: UsageConsumer;
  let counted: Set<string>;

  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test', logger });
    await ensureUsageStreams(connection, logger);
    publisher = new UsagePublisher(connection, { logger, resendAfterMs: 400 });
    counted = new Set();
    consumer = new UsageConsumer(
      connection,
      async (events) => {
        for (const { id } of events) counted.add(id);
      },
      { logger },
    );
  });
  afterEach(async () => {
    await consumer.stop();
    publisher.close();
    await connection.close();
    await nats.stop();
  });

  const keptIds = async () => new Set((await new KeptUsage(connection).read(1, 100)).events.map(({ id }) => id));

  it('is kept for some hours, and found by its time', async () => {
    const kept = new KeptUsage(connection);
    expect(await kept.firstSince(0)).toBeNull();
    for (const id of ['one', 'two', 'three']) {
      await connection.jetstream().publish(usageStream.keptSubject, JSON.stringify([anEvent(id)]));
      // Times are told to the millisecond.
      await sleep(5);
    }
    const manager = await connection.jetstreamManager();
    const { time } = await manager.streams.getMessage(usageStream.keptName, { seq: 2 });
    expect([await kept.firstSince(0), await kept.firstSince(time.getTime())]).toEqual([1, 2]);
    expect(await kept.firstSince(time.getTime() + 3_600_000)).toBeNull();
    expect(await kept.read(1, 2)).toMatchObject({ events: [{ id: 'one' }, { id: 'two' }], problems: [], next: 3 });
    expect(await kept.read(3, 2)).toMatchObject({ events: [{ id: 'three' }], next: null });
  });

  it('is kept in few messages, however many it came in', async () => {
    for (let i = 0; i < 100; i++) connection.publish(usageStream.subject, JSON.stringify([anEvent(`event-${i}`)]));
    await consumer.start();
    await eventually(async () => (await keptIds()).size === 100);
    const manager = await connection.jetstreamManager();
    expect((await manager.streams.info(usageStream.keptName)).state.messages).toBeLessThan(20);
  });

  it('is kept once where a stream of an older release writes on by itself', async () => {
    const manager = await connection.jetstreamManager();
    await manager.streams.delete(usageStream.name);
    const { name, subject, keptSubject } = usageStream;
    const republish = { src: subject, dest: keptSubject };
    await manager.streams.add({ name, subjects: [subject], retention: RetentionPolicy.Workqueue, republish });
    publisher.publish(anEvent('before'));
    expect(await publisher.flush(5_000 * patience)).toBe(true);
    await consumer.start();
    await eventually(async () => !(await manager.streams.info(name)).config.republish);
    publisher.publish(anEvent('after'));
    await eventually(async () => (await keptIds()).size === 2);
    expect(counted).toEqual(new Set(['before', 'after']));
  });

  it('leaves the stream of events also where it cannot be kept', async () => {
    const manager = await connection.jetstreamManager();
    await consumer.start();
    await manager.streams.delete(usageStream.keptName);
    publisher.publish(anEvent('one'));
    await eventually(async () => counted.size === 1 && (await usageBacklog(connection)).messages === 0);
  });
});
