import { usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { eventually, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { EventEmitter, once } from 'node:events';
import { pino } from 'pino';
import { headers, nanos } from 'nats';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToNats } from '../connection/connect-to-nats';
import { anEvent } from '../testing/generation-fixtures';
import { UnusableEventsError, UsageConsumer } from './usage-consumer';
import { ackWaitMs, ensureUsageStreams, usageBacklog } from './usage-streams';

const logger = pino({ level: 'silent' });

describe('usage events that are delivered by a real JetStream', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let consumer: UsageConsumer | null;
  let counted: Map<string, number>;

  beforeEach(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test', logger });
    await ensureUsageStreams(connection, logger);
    consumer = null;
    counted = new Map();
  });
  afterEach(async () => {
    await consumer?.stop();
    await connection.close();
    await nats.stop();
  });

  const publish = (...events: unknown[]): void => connection.publish(usageStream.subject, JSON.stringify(events));

  const count = async (events: UsageEvent[]): Promise<void> => {
    for (const { id } of events) counted.set(id, (counted.get(id) ?? 0) + 1);
  };

  async function consume(handler = count, settings: { [name in 'retryMs' | 'maxRetryMs' | 'handleMs']?: number } = {}) {
    consumer = new UsageConsumer(connection, handler, { logger, retryMs: 50, ...settings });
    await consumer.start();
  }

  it('delivers again, after a pause that grows, what a handler rejected, and then acknowledges it', async () => {
    const calls: number[] = [];
    await consume(async (events) => {
      calls.push(performance.now());
      if (calls.length <= 3) throw new Error('the database is away');
      await count(events);
    });
    // A process that stands still gets nothing a second time.
    const { consumers } = await connection.jetstreamManager();
    await consumers.update(usageStream.name, usageStream.consumer, { ack_wait: nanos(600_000) });
    publish(anEvent('one'));
    await eventually(() => counted.get('one') === 1);
    expect(calls).toHaveLength(4);
    const pauses = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
    // The last statement of a timer's time is a millisecond, or a part of one, early.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(50 * 2 ** index - 2);
    await eventually(async () => (await usageBacklog(connection)).messages === 0);
  });

  it('delivers to the next consumer what a stopped one had not acknowledged', async () => {
    const tries = new EventEmitter();
    await consume(() => Promise.reject(new Error(String(tries.emit('one')))));
    publish(anEvent('one'));
    await once(tries, 'one');
    await consumer?.stop();
    await consume();
    await eventually(() => counted.get('one') === 1);
  });

  it('delivers to another consumer soon what a killed one held, taken or not', async () => {
    const doomed = await connectToNats({ url: nats.url, name: 'doomed', logger });
    const gate = new EventEmitter();
    const stuck = async (): Promise<void> => void (await once(gate, 'open'));
    const killed = new UsageConsumer(doomed, stuck, { logger, maxMessages: 2 });
    await killed.start();
    for (let i = 0; i < 5; i++) publish(anEvent(`event-${i}`));
    await eventually(() => gate.listenerCount('open') === 1);
    await doomed.close();
    await consume();
    await eventually(() => counted.size === 5);
    gate.emit('open');
    await killed.stop();
  });

  it('delivers again what a handler does not come to an end with', async () => {
    let calls = 0;
    const stuckOnce = (events: UsageEvent[]) => (++calls === 1 ? new Promise<void>(() => undefined) : count(events));
    await consume(stuckOnce, { handleMs: 500 });
    for (let i = 0; i < 3; i++) publish(anEvent(`event-${i}`));
    await eventually(() => counted.size === 3);
    await eventually(async () => (await usageBacklog(connection)).messages === 0);
  });

  it('stops at once while it waits to try again', async () => {
    const tries = new EventEmitter();
    const fail = async (): Promise<void> => Promise.reject(new Error(String(tries.emit('one'))));
    await consume(fail, { retryMs: 3_600_000, maxRetryMs: 3_600_000 });
    publish(anEvent('waiting'));
    await once(tries, 'one');
    await consumer?.stop();
  });

  /** For how long this process, or nats-server, stood still at most while something was done. */
  async function longestPauseIn(work: Promise<unknown>): Promise<number> {
    let longestMs = 0;
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    while (!isOver) {
      const before = performance.now();
      await sleep(10);
      await connection.flush();
      longestMs = Math.max(longestMs, performance.now() - before);
    }
    await over;
    return longestMs;
  }

  it('does not deliver again what a living consumer takes long for', async () => {
    await consume(async (events) => {
      await count(events);
      await sleep(2 * ackWaitMs);
    });
    for (let tried = 1; ; tried++) {
      const id = `slow-${tried}`;
      publish(anEvent(id));
      const isDone = async () => counted.has(id) && (await usageBacklog(connection)).messages === 0;
      const longestPauseMs = await longestPauseIn(eventually(isDone));
      if (counted.get(id) === 1) return;
      // What comes to one that stands still comes again.
      expect(longestPauseMs).toBeGreaterThan(ackWaitMs / 5);
    }
  });

  it('puts what cannot be read aside, with the reason, and goes on with the rest', async () => {
    await consume();
    connection.publish(usageStream.subject, 'not json');
    publish(anEvent('good'), { id: 'bad' });
    publish(anEvent('next'));
    await eventually(() => counted.has('good') && counted.has('next'));
    await eventually(async () => (await usageBacklog(connection)).messages === 0);
    const manager = await connection.jetstreamManager();
    const first = await manager.streams.getMessage(usageStream.deadLetterName, { seq: 1 });
    expect(first.string()).toBe('not json');
    expect(first.header.get('Tollgate-Reason')).toBe('The body is not a JSON array.');
    const second = await manager.streams.getMessage(usageStream.deadLetterName, { seq: 2 });
    expect(second.header.get('Tollgate-Reason')).toContain('Event 1');
  });

  it('puts only the message aside that its handler calls unusable', async () => {
    await consume(async (events) => {
      if (events.some(({ id }) => id === 'poison')) throw new UnusableEventsError('no such account');
      await count(events);
    });
    for (const id of ['a', 'poison', 'b'])
      connection.publish(usageStream.subject, JSON.stringify([anEvent(id)]), { headers: headers() });
    await eventually(() => counted.has('a') && counted.has('b'));
    await eventually(async () => (await usageBacklog(connection)).deadLetters === 1);
    await eventually(async () => (await usageBacklog(connection)).messages === 0);
  });
});
