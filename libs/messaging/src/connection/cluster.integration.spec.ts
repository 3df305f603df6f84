import { eventually, patience, startNatsCluster } from '@tollgate/testing';
import type { NatsCluster, NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { NatsGenerationClient } from '../generation/client/nats-generation-client';
import { NatsGenerationServer } from '../generation/server/nats-generation-server';
import { RecordingListener, aRequest, answerOf } from '../testing/generation-fixtures';
import { scriptedHandler } from '../testing/scripted-handler';
import { connectToNats } from './connect-to-nats';
import { inOrderOf, instanceOf } from './server-choice';

const logger = pino({ level: 'silent' });
const body = Buffer.from('{"model":"openai/gpt-4o"}');
const chunks = 60;

describe('a connection to a cluster of two servers', () => {
  let cluster: NatsCluster;
  let connections: NatsConnection[];
  let client: NatsGenerationClient;

  beforeAll(async () => {
    cluster = await startNatsCluster(2);
  });
  afterAll(() => cluster.stop());

  beforeEach(async () => {
    const connect = (name: string) => connectToNats({ url: cluster.url, name, logger });
    connections = [await connect('edge'), await connect('instance')];
    const [edge, instance] = connections;
    if (!edge || !instance) throw new Error('not connected');
    client = new NatsGenerationClient(edge, { logger });
    const server = new NatsGenerationServer(instance, { logger });
    await server.serve(
      ['openai-chat'],
      1_000,
      scriptedHandler(() => undefined),
    );
  });
  afterEach(async () => {
    client.close();
    for (const connection of connections) await connection.close();
  });

  /** Streams of more than a second. */
  function openSome() {
    return Array.from({ length: 20 }, () => {
      const request = aRequest({ chunks: String(chunks), size: '500', delay: '20' });
      const listener = new RecordingListener((bytes) => handle.consumed(bytes));
      const handle = client.open(request, body, listener);
      return { request, listener };
    });
  }

  async function expectWhole(opened: ReturnType<typeof openSome>): Promise<void> {
    for (const { request, listener } of opened) {
      await listener.settled();
      expect(listener.failure).toBeNull();
      expect(listener.content.equals(answerOf(request.requestId, chunks, 500))).toBe(true);
    }
  }

  const portOf = (connection: NatsConnection | undefined) => Number(connection?.getServer().split(':').at(-1));
  /** The server that edge uses. */
  const serverOfEdge = (): NatsServer => {
    const server = cluster.servers.find(({ port }) => port === portOf(connections[0]));
    if (!server) throw new Error('edge is connected to no server of the cluster');
    return server;
  };

  it.each([
    ['leaves in order', async (server: NatsServer) => (await server.leave(), server.start())],
    ['is killed', async (server: NatsServer) => (await server.kill(), await sleep(300), server.start())],
  ])('loses not a byte of a stream when its server %s', async (_how, strike) => {
    const opened = openSome();
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.chunks.length > 0)));
    const before = portOf(connections[0]);
    const struck = strike(serverOfEdge());
    await expectWhole(opened);
    await struck;
    expect(portOf(connections[0])).not.toBe(before);
    await expectWhole(openSome());
  });

  it('loses not a byte of a stream, and leaves, when its server says nothing', async () => {
    const server = serverOfEdge();
    const opened = openSome();
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.chunks.length > 0)));
    await server.pause();
    try {
      const leftBy = performance.now() + 3_000 * patience;
      while (portOf(connections[0]) === server.port && performance.now() < leftBy) await sleep(20);
      await expectWhole(opened);
    } finally {
      server.resume();
    }
    expect(portOf(connections[0])).not.toBe(server.port);
  });
});

it('finds the one of three servers that answers when its first two choices hang', async () => {
  const cluster = await startNatsCluster(3);
  try {
    const connection = await connectToNats({ url: cluster.url, name: 'choosy', logger });
    const byChoice = inOrderOf(instanceOf('choosy'), cluster.url.split(','));
    try {
      for (const server of cluster.servers) if (byChoice.indexOf(server.url) < 2) await server.pause();
      await eventually(() => connection.getServer() === byChoice[2]?.replace('nats://', ''), 10_000);
    } finally {
      for (const server of cluster.servers) server.resume();
      await connection.close();
    }
  } finally {
    await cluster.stop();
  }
});

it('is spread over all servers, and so are those of a server that ends', () => {
  const servers = ['nats://one:4222', 'two:4222', 'three'];
  const orders = Array.from({ length: 60 }, (_, number) => inOrderOf(`edge ${number}`, servers));
  const counted = new Map<string, number>();
  for (const order of orders) counted.set(order.join(), (counted.get(order.join()) ?? 0) + 1);
  expect(counted.size).toBe(6);
  expect(Math.min(...counted.values())).toBeGreaterThan(2);
  expect(inOrderOf('edge 1', [...servers].reverse())).toEqual(inOrderOf('edge 1', servers));
});
