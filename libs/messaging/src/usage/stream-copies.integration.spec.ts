import { usageStream } from '@tollgate/contracts';
import { catalogMemory } from '@tollgate/contracts/catalog';
import { eventually, startNatsCluster } from '@tollgate/testing';
import type { NatsCluster } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectToNats } from '../connection/connect-to-nats';
import { keepCopies } from './stream-copies';
import { ensureUsageStreams, usageBacklog } from './usage-streams';

const { name, deadLetterName, keptName } = usageStream;
const all = [name, deadLetterName, keptName, catalogMemory.stream];

describe('the copies of streams in a cluster of three', () => {
  const complaints: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) });
  let cluster: NatsCluster;
  let connections: NatsConnection[] = [];

  beforeAll(async () => {
    cluster = await startNatsCluster(3);
    const connect = () => connectToNats({ url: cluster.url, name: 'test', logger });
    connections = await Promise.all([connect(), connect(), connect()]);
  });
  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await cluster.stop();
  });

  it('are raised for every stream and the bucket by several at a time, and go with the node that holds one', async () => {
    const [connection] = connections;
    if (!connection) throw new Error('not connected');
    await ensureUsageStreams(connection, logger, 1);
    await connection.jetstream().views.kv(catalogMemory.bucket, { history: 1 });

    const manager = await connection.jetstreamManager();
    // Where JetStream is too late to answer, the next call tries again.
    await eventually(async () => {
      complaints.splice(0);
      await Promise.all(connections.map((each) => keepCopies(each, null, logger)));
      const infos = await Promise.all(all.map((stream) => manager.streams.info(stream)));
      return infos.every(({ config }) => config.num_replicas === 3);
    }, 3_000);
    expect(complaints).toEqual([]);
    const kept = async () => (await usageBacklog(connection, null)).copies;
    await eventually(async () => (await kept()).kept === 3);

    // What is asked for less is not lowered.
    await keepCopies(connection, 1, logger);
    const { wanted } = await eventually(kept, (copies) => copies.kept === 3);
    expect(wanted).toBe(3);

    await cluster.servers[2]?.kill();
    await eventually(async () => (await kept().catch(() => null))?.kept === 2, 30_000);
  });
});
