import { usageStream } from '@tollgate/contracts';
import { generationSubjects } from '@tollgate/contracts/inference';
import { eventually, startNatsServer, startTcpProxy } from '@tollgate/testing';
import type { NatsServer, TcpProxy } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connectToNats } from '../connection/connect-to-nats';
import { RecordingListener, aRequest } from '../testing/generation-fixtures';
import { scriptedHandler } from '../testing/scripted-handler';
import { readUsageMessage } from '../usage/usage-message';
import { ensureUsageStreams } from '../usage/usage-streams';
import { NatsGenerationClient } from './client/nats-generation-client';
import type { HopSettings } from './hop-settings';
import { NatsGenerationServer } from './server/nats-generation-server';

const logger = pino({ level: 'silent' });
/** What is over is remembered, however long this machine stands still. */
const patient = { replayMs: 600_000, settleMs: 600_000 };
/** What an instance told of requests that another one has, too. */
const twice: unknown[] = [];
const telling = pino(
  { level: 'warn' },
  { write: (line: string) => void (line.includes('another instance') && twice.push(JSON.parse(line))) },
);
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
  let isCutAtStart: boolean;

  beforeEach(async () => {
    nats = await startNatsServer();
    proxy = await startTcpProxy(nats.port);
    const edge = await connectToNats({ url: nats.url, name: 'edge', logger });
    const cut = await connectToNats({ url: `nats://127.0.0.1:${proxy.port}`, name: 'first', logger });
    connections = [edge, cut];
    await ensureUsageStreams(edge, logger);
    told = [];
    twice.length = 0;
    edge.subscribe(usageStream.subject, {
      callback: (_error, { data }) => told.push(...readUsageMessage(data).events.map(({ usage }) => usage.output)),
    });
    // It asks on until the second instance is there: somebody hears its offers, and says nothing.
    edge.subscribe(generationSubjects.offer('openai-chat'));
    client = new NatsGenerationClient(edge, { patienceMs: 60_000, logger });
    isStopped = false;
    isCutAtStart = true;
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

  /** Begins at once what it is asked; its connection is lost in that moment, where `isCutAtStart`. */
  async function serveFirst(settings: Partial<HopSettings>): Promise<void> {
    const connection = connections[1];
    if (!connection) throw new Error('not connected');
    first = new NatsGenerationServer(connection, { ...settings, logger: telling });
    const handler = scriptedHandler(({ what }) => {
      // Nothing of what it says in this turn leaves it.
      if (what !== 'started') isStopped = true;
      else if (isCutAtStart) proxy.cut();
    });
    await first.serve(['openai-chat'], 10, handler);
  }

  it.each([
    ['by and by', async () => eventually(() => first.held.size === 0, 10_000)],
    ['as it drains', async () => first.drain(10_000)],
  ])('is not told where another instance has it, which it asks %s', async (_when, ask) => {
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
    await eventually(() => first.isConnected, 10_000);
    await ask();
    handle.cancel('caller_left');
    await listener.settled();
    await Promise.all([first.drain(10_000), second.drain(10_000)]);
    await connections[0]?.flush();
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThan(0);
    expect([first.askedTwice, second.askedTwice]).toEqual([1, 0]);
  });

  it('is counted as asked twice where it had answered whole before it heard of another', async () => {
    await serveFirst({ newEdgeMs: 0, newEdgeRequests: 0, ...patient });
    const listener = new RecordingListener((bytes) => handle.consumed(bytes));
    const asked = aRequest({ chunks: '1', delay: '0' });
    const handle = client.open(asked, body, listener);
    await eventually(() => !first.isConnected);
    const connection = await connectToNats({ url: nats.url, name: 'second', logger });
    connections.push(connection);
    const second = new NatsGenerationServer(connection, { logger });
    await second.serve(
      ['openai-chat'],
      10,
      scriptedHandler(() => undefined),
    );
    await listener.settled();
    expect(listener).toMatchObject({ ended: true, failure: null });
    proxy.resume();
    await eventually(() => first.askedTwice > 0, 10_000);
    await Promise.all([first.drain(10_000), second.drain(10_000)]);
    expect([first.askedTwice, second.askedTwice]).toEqual([1, 0]);
    expect(twice).toMatchObject([{ requestId: asked.requestId, usedTokens: expect.any(Number) }]);
  });

  it('is counted as asked twice where nobody knows what it used there', async () => {
    const connection = connections[1];
    if (!connection) throw new Error('not connected');
    first = new NatsGenerationServer(connection, { ...patient, newEdgeMs: 0, newEdgeRequests: 0, logger: telling });
    await first.serve(['openai-chat'], 10, async (call) => {
      proxy.cut();
      await call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
    });
    const { handle, listener } = open();
    const other = await connectToNats({ url: nats.url, name: 'second', logger });
    connections.push(other);
    await eventually(() => first.inFlight === 0 && !first.isConnected);
    const second = new NatsGenerationServer(other, { logger });
    await second.serve(
      ['openai-chat'],
      10,
      scriptedHandler(() => undefined),
    );
    await listener.until(() => listener.chunks.length > 0);
    proxy.resume();
    await eventually(() => first.askedTwice > 0, 10_000);
    expect(twice).toMatchObject([{ requestId: expect.any(String), usedTokens: null }]);
    handle.cancel('caller_left');
    await listener.settled();
    await Promise.all([first.drain(10_000), second.drain(10_000)]);
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

  it('is told where edge settled by its word, though others were offered the request', async () => {
    isCutAtStart = false;
    // Somebody hears the request and says nothing, so that it is offered.
    connections[0]?.subscribe(generationSubjects.request('openai-chat'));
    const { listener } = open();
    await nextTurn();
    await connections[0]?.flush();
    await serveFirst({ resumeMs: 100, pingMs: 100, replayMs: 0 });
    await listener.until(() => listener.chunks.length > 0);
    proxy.cut();
    await eventually(() => isStopped && first.held.size === 1);
    // What it told is not held any more.
    const { now } = first.ticker;
    await eventually(() => first.ticker.now > now + 2);
    proxy.resume();
    await listener.settled();
    expect(listener.settlement?.accounted).toBe(true);
    await eventually(() => first.held.size === 0, 10_000);
    await first.drain(10_000);
    await connections[0]?.flush();
    expect(told).toHaveLength(1);
  });
});
