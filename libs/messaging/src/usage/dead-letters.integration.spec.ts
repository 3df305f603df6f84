import { usageStream } from '@tollgate/contracts';
import { startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { headers } from 'nats';
import type { NatsConnection } from 'nats';
import { connectToNats } from '../connection/connect-to-nats';
import { anEvent } from '../testing/generation-fixtures';
import { DeadLetters } from './dead-letters';
import { ensureUsageStreams } from './usage-streams';

describe('dead letters in a real JetStream', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let letters: DeadLetters;
  beforeAll(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test' });
    await ensureUsageStreams(connection);
    letters = new DeadLetters(connection);
  });
  afterAll(async () => {
    await connection.close();
    await nats.stop();
  });

  it('are found in order, read with their reason, and removed once', async () => {
    expect(await letters.next(0)).toBeNull();
    expect([await letters.get(7), await letters.remove(7)]).toEqual([null, false]);
    const header = headers();
    header.set('Tollgate-Reason', 'The body is not a JSON array.');
    const jetstream = connection.jetstream();
    await jetstream.publish(usageStream.deadLetterSubject, 'not json', { headers: header });
    const event = anEvent('1');
    await jetstream.publish(usageStream.deadLetterSubject, JSON.stringify([event]));
    const first = await letters.next(0);
    expect(first).toMatchObject({ sequence: 1, reason: 'The body is not a JSON array.' });
    expect(first?.read().problems).toHaveLength(1);
    expect(await letters.remove(1)).toBe(true);
    expect(await letters.remove(1)).toBe(false);
    expect(await letters.get(1)).toBeNull();
    expect(await letters.remove(9_007_199_254_740_991)).toBe(false);
    const second = await letters.next(0);
    expect(second).toMatchObject({ sequence: 2, reason: '' });
    expect(second?.read()).toEqual({ events: [event], problems: [] });
    expect(await letters.next(2)).toBeNull();
  });

  it('are not taken for absent when JetStream does not answer', async () => {
    await nats.stop();
    await expect(letters.get(2)).rejects.toThrow();
  });
});
