import { usageStream } from '@tollgate/contracts';
import { eventually, startNatsServer, startTcpProxy } from '@tollgate/testing';
import type { NatsServer, TcpProxy } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectToNats } from '../connection/connect-to-nats';
import { RecordingListener, aRequest } from '../testing/generation-fixtures';
import { scriptedHandler } from '../testing/scripted-handler';
import { readUsageMessage } from '../usage/usage-message';
import { ensureUsageStreams } from '../usage/usage-streams';
import { NatsGenerationClient } from './client/nats-generation-client';
import type { HopSettings } from './hop-settings';
import { NatsGenerationServer } from './server/nats-generation-server';

const logger = pino({ level: 'silent' });
const body = Buffer.from('{"model":"openai/gpt-4o"}');

describe('a call that its edge never confirmed, because the instance lost its connection', () => {
  let nats: NatsServer;
  let proxy: TcpProxy;
  let connections: NatsConnection[];
  let client: NatsGenerationClient;
  let first: NatsGenerationServer;
  /** Output tokens of each event. */
  let told: number[];
  let isStopped: boolean;

  beforeEach(async () => {
    nats = await startNatsServer();
    proxy = await startTcpProxy(nats.port);
    const edge = await connectToNats({ url: nats.url, name: 'edge', logger });
    const cut = await connectToNats({ url: `nats://127.0.0.1:${proxy.port}`, name: 'first', logger });
    connections = [edge, cut];
    await ensureUsageStreams(edge, logger);
    told = [];
    edge.subscribe(usageStream.subject, {
      callback: (_error, { data }) => told.push(...readUsageMessage(data).events.map(({ usage }) => usage.output)),
    });
    client = new NatsGenerationClient(edge, { logger });
    isStopped = false;
  });
  afterEach(async () => {
    client.close();
    for (const connection of connections) await connection.close();
    await proxy.close();
    await nats.stop();
  });

  function open() {
    const listener = new RecordingListener((bytes) => handle.consumed(bytes));
    const handle = client.open(aRequest({ chunks: '1000', delay: '20' }), body, listener);
    return { handle, listener };
  }

  /** Begins at once what it is asked; its connection is lost in that moment. */
  async function serveFirst(settings: Partial<HopSettings>): Promise<void> {
    const connection = connections[1];
    if (!connection) throw new Error('not connected');
    first = new NatsGenerationServer(connection, { ...settings, logger });
    const handler = scriptedHandler(({ what }) => {
      // Nothing of what it says in this turn leaves it.
      if (what === 'started') proxy.cut();
      else isStopped = true;
    });
    await first.serve(['openai-chat'], 10, handler);
  }

  it('is not told where another instance has it', async () => {
    await serveFirst({ newEdgeMs: 0, newEdgeRequests: 0, resumeMs: 100 });
    const { listener, handle } = open();
    await eventually(() => isStopped);
    expect(first.held.size).toBe(1);
    const connection = await connectToNats({ url: nats.url, name: 'second', logger });
    connections.push(connection);
    const second = new NatsGenerationServer(connection, { logger });
    const nothing = () => undefined;
    await second.serve(['openai-chat'], 10, scriptedHandler(nothing));
    await listener.until(() => listener.chunks.length > 0);
    proxy.resume();
    await eventually(() => first.held.size === 0, 10_000);
    handle.cancel('caller_left');
    await listener.settled();
    await Promise.all([first.drain(1_000), second.drain(1_000)]);
    await connections[0]?.flush();
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThan(0);
  });

  it('is told as its instance knows it where edge is gone', async () => {
    await serveFirst({ newEdgeMs: 0, newEdgeRequests: 0, resumeMs: 100, settleMs: 500 });
    open();
    await eventually(() => isStopped);
    client.close();
    expect(first.held.size).toBe(1);
    expect(told).toEqual([]);
    proxy.resume();
    await eventually(() => told.length > 0);
    expect(told).toHaveLength(1);
  });
});
