import { usageStream } from '@tollgate/contracts';
import { catalogMemory } from '@tollgate/contracts/catalog';
import { NatsError } from 'nats';
import type { JetStreamManager, NatsConnection } from 'nats';
import { pino } from 'pino';
import { copiesNow, copiesWanted, keepCopies } from './stream-copies';

/** `infoOf` answers for each stream, or throws. */
function managerOf(infoOf: (name: string) => unknown): JetStreamManager {
  return { streams: { info: async (name: string) => infoOf(name) } } as unknown as JetStreamManager;
}

const three = {
  config: { num_replicas: 3 },
  cluster: { replicas: [{ current: true }, { current: true }] },
};
const noSuchStream = Object.assign(new NatsError('stream not found', '404'), {
  api_error: { code: 404, err_code: 10059, description: 'stream not found' },
});
const timeout = new NatsError('TIMEOUT', 'TIMEOUT');

const exceptBucket = (error: Error) =>
  managerOf((name) => {
    if (name === catalogMemory.stream) throw error;
    return three;
  });

it('wants as many as before where a server of the cluster went', () => {
  const connection: { info: unknown } = { info: { cluster: 'c', connect_urls: ['a', 'b', 'c'] } };
  const wanted = () => copiesWanted(connection as Pick<NatsConnection, 'info'>);
  expect(wanted()).toBe(3);
  connection.info = { cluster: 'c', connect_urls: ['a', 'b'] };
  expect(wanted()).toBe(3);
  expect(copiesWanted({ info: { cluster: 'c', connect_urls: ['a', 'b'] } } as Pick<NatsConnection, 'info'>)).toBe(1);
});

it('counts no copy of a stream that does not answer, and does not count one that nobody made', async () => {
  expect(await copiesNow(exceptBucket(timeout))).toBe(0);
  expect(await copiesNow(exceptBucket(noSuchStream))).toBe(3);
});

it('logs that a stream does not answer, and nothing of one that nobody made', async () => {
  const complaints: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) });
  const keep = async (error: Error) =>
    keepCopies(
      { info: undefined, jetstreamManager: async () => exceptBucket(error) } as unknown as NatsConnection,
      3,
      logger,
    );
  await keep(noSuchStream);
  expect(complaints).toEqual([]);
  await keep(timeout);
  expect(complaints).toEqual([expect.stringContaining(catalogMemory.stream)]);
  expect(complaints.join()).not.toContain(usageStream.name);
});
