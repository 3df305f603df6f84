import type { GenerationRequest } from '@tollgate/contracts/inference';
import { eventually, startNatsServer, startTcpProxy } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { connectToNats } from '../connection/connect-to-nats';
import { RecordingListener, aRequest, anEvent, answerOf } from '../testing/generation-fixtures';
import { InstanceChild } from '../testing/instance-child';
import { scriptedHandler } from '../testing/scripted-handler';
import { UsageJournal } from '../usage/journal/usage-journal';
import { UsageConsumer } from '../usage/usage-consumer';
import { UsagePublisher } from '../usage/usage-publisher';
import { ensureUsageStreams } from '../usage/usage-streams';
import { NatsGenerationClient } from './client/nats-generation-client';
import { frameTypes } from './frame';
import type { HopSettings } from './hop-settings';
import { NatsGenerationServer } from './server/nats-generation-server';

const logger = pino({ level: 'silent' });
const body = Buffer.from('{"model":"openai/gpt-4o"}');
const size = 1_000;
/** The long times of the hop, a tenth of the real ones. */
const quick: Partial<HopSettings> = { pingMs: 500, silenceMs: 1_500, heartbeatMs: 500, settleMs: 1_500 };
/** The same where everybody lives: a process that stands still for a while is not lost. */
const patient: Partial<HopSettings> = { ...quick, silenceMs: 15_000, settleMs: 15_000 };

describe('a generation when processes die, freeze or lose their links', () => {
  let nats: NatsServer;
  let edge: NatsConnection;
  let client: NatsGenerationClient;
  let instances: InstanceChild[];

  beforeEach(async () => {
    nats = await startNatsServer();
    edge = await connectToNats({ url: nats.url, name: 'edge', logger });
    await ensureUsageStreams(edge, logger);
    client = new NatsGenerationClient(edge, { ...quick, logger });
    instances = [];
  });
  afterEach(async () => {
    client.close();
    await edge.close();
    await Promise.all(instances.map((instance) => instance.stop()));
    await nats.stop();
  });

  /** From now on edge takes nobody for lost who is only late. */
  function bePatient(): void {
    client.close();
    client = new NatsGenerationClient(edge, { ...patient, logger });
  }

  async function startInstance(url = nats.url, settings = patient): Promise<InstanceChild> {
    const instance = await InstanceChild.start(url, settings);
    instances.push(instance);
    return instance;
  }

  function open(headers: Record<string, string>, through = client) {
    const request = aRequest({ size: String(size), ...headers });
    const listener = new RecordingListener((bytes) => handle.consumed(bytes));
    const handle = through.open(request, body, listener);
    return { request, listener, handle };
  }

  /** A stream that ended cleanly must hold every byte; counts those that did not end so. */
  function verifyWhole(opened: ReturnType<typeof open>[], chunks: number): number {
    const ended = opened.filter(({ listener }) => listener.ended);
    for (const { request, listener } of ended)
      expect(listener.content.equals(answerOf(request.requestId, chunks, size))).toBe(true);
    return opened.length - ended.length;
  }

  /** How many streams were open each time that the connection was lost, so far. */
  function openAtLosses(connection: NatsConnection, through: NatsGenerationClient): readonly number[] {
    const losses: number[] = [];
    const watch = async () => {
      for await (const { type } of connection.status())
        if (type === Events.Disconnect) losses.push(through.openStreams);
    };
    void watch();
    return losses;
  }

  it('fails visibly, and is left to edge to account for, when its instance is killed', async () => {
    const instance = await startInstance();
    const { listener } = open({ chunks: '1000', delay: '20' });
    await listener.until(() => listener.chunks.length > 3);
    await instance.stop('SIGKILL');
    expect(await listener.settled()).toEqual({ accounted: false, usedTokens: null });
    expect(listener.ended).toBe(false);
    expect(listener.failure).toMatchObject({ code: 'instance_lost', status: 503 });
    expect(listener.attempts).toHaveLength(1);
  });

  it('is refused where it is of a kind that no instance knows, and never taken for one of another kind', async () => {
    await startInstance();
    const { request } = open({});
    const listener = new RecordingListener();
    client.open({ ...request, kind: 'paint' as GenerationRequest['kind'] }, body, listener);
    expect(await listener.settled()).toEqual({ accounted: false, usedTokens: null });
    expect(listener.failure).toMatchObject({ code: 'overloaded', status: 503 });
  });

  it('fails visibly when its instance freezes, which then stops by itself once it thaws', async () => {
    const instance = await startInstance();
    const { request, listener } = open({ chunks: '1000', delay: '20' });
    await listener.until(() => listener.chunks.length > 3);
    await instance.pause();
    await listener.settled();
    expect(listener.failure?.code).toBe('instance_lost');
    instance.resume();
    expect((await instance.report('stopped', request.requestId)).reason).toBe('failed');
  });

  it('is served by another instance when the one that got the request is frozen, and runs only there', async () => {
    bePatient();
    const [first, second] = [await startInstance(), await startInstance()];
    for (let i = 0; i < 10; i++) await open({}).listener.settled();
    await first.pause();
    const opened = Array.from({ length: 12 }, () => open({ chunks: '2' }));
    for (const { listener } of opened) await listener.settled();
    expect(verifyWhole(opened, 2)).toBe(0);
    first.resume();
    const startsOf = ({ request }: (typeof opened)[number], at: InstanceChild) =>
      at.reports.filter((report) => report.what === 'started' && report.requestId === request.requestId);
    // What it begins now it was sent behind all that came while it was frozen.
    await eventually(async () => {
      const later = open({});
      await later.listener.settled();
      return startsOf(later, first).length > 0;
    });
    for (const each of opened) expect([first, second].flatMap((instance) => startsOf(each, instance))).toHaveLength(1);
  });

  it('is aborted at the instance when its edge is gone', async () => {
    const instance = await startInstance(nats.url, quick);
    const lost = await connectToNats({ url: nats.url, name: 'lost-edge', logger });
    const lostClient = new NatsGenerationClient(lost, { ...quick, logger });
    const { request, listener } = open({ chunks: '1000', delay: '20' }, lostClient);
    await listener.until(() => listener.chunks.length > 0);
    lostClient.close();
    await lost.close();
    expect((await instance.report('stopped', request.requestId)).reason).toBe('edge_lost');
  });

  it('never ends cleanly with bytes missing while the link of its edge is cut and restored again and again', async () => {
    await startInstance();
    const proxy = await startTcpProxy(nats.port);
    const connection = await connectToNats({ url: `nats://127.0.0.1:${proxy.port}`, name: 'cut-edge', logger });
    const cutClient = new NatsGenerationClient(connection, { ...patient, logger });
    const opened: ReturnType<typeof open>[] = [];
    const openAtLoss = openAtLosses(connection, cutClient);
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 100; i++) opened.push(open({ chunks: '30', delay: String(1 + (i % 15)) }, cutClient));
      await sleep(150 + 40 * round);
      proxy.cut();
      await sleep(100);
      proxy.resume();
      await sleep(600);
    }
    for (const { listener } of opened) await listener.settled();
    // How many go on depends on how soon the link is back, and so on the machine (resume.spec.ts has no
    // clock): those that end are whole.
    verifyWhole(opened, 30);
    expect(Math.max(0, ...openAtLoss)).toBeGreaterThan(0);
    await eventually(() => cutClient.isConnected);
    const undisturbed = Array.from({ length: 20 }, () => open({ chunks: '30', delay: '1' }, cutClient));
    for (const { listener } of undisturbed) await listener.settled();
    expect(verifyWhole(undisturbed, 30)).toBe(0);
    for (const { listener } of opened) expect(listener.ended).toBe(listener.failure === null);
    cutClient.close();
    await connection.close();
    await proxy.close();
  });

  it('never ends cleanly with bytes missing while the link of its instance is cut', async () => {
    bePatient();
    const proxy = await startTcpProxy(nats.port);
    await startInstance(`nats://127.0.0.1:${proxy.port}`);
    const opened: ReturnType<typeof open>[] = [];
    // Where this process stood still meanwhile, all of them may be over by now.
    while (client.openStreams === 0) {
      const some = Array.from({ length: 100 }, (_, i) => open({ chunks: '30', delay: String(1 + (i % 15)) }));
      opened.push(...some);
      const slowest = some[14]?.listener;
      await slowest?.until(() => slowest.chunks.length > 8);
    }
    expect(proxy.links).toBe(1);
    proxy.cut();
    await sleep(100);
    proxy.resume();
    for (const { listener } of opened) await listener.settled();
    verifyWhole(opened, 30);
    expect(opened.filter(({ listener }) => !listener.settlement?.accounted)).toHaveLength(0);
    await proxy.close();
  });

  it('is asked for anew, and runs once, when its instance moves to another server before it has the whole request', async () => {
    const connection = await connectToNats({ url: nats.url, name: 'moving', logger });
    const moving = new NatsGenerationServer(connection, { ...quick, logger });
    const started: number[] = [];
    await moving.serve(
      ['openai-chat'],
      10,
      scriptedHandler(({ what, bodyBytes }) => what === 'started' && started.push(bodyBytes)),
    );
    await open({}).listener.settled();
    const large = Buffer.alloc(6 * 1024 * 1024, 'x');
    const listener = new RecordingListener();
    const sent = jest.spyOn(client.post, 'send');
    client.open(aRequest({ size: String(size) }), large, listener);
    while (!sent.mock.calls.some(([, type]) => type === frameTypes.body)) await nextTurn();
    await connection.reconnect();
    await listener.settled();
    expect(listener).toMatchObject({ ended: true, failure: null });
    expect(started).toEqual([body.length, large.length]);
    await moving.drain(1_000);
    await connection.close();
  });

  it('survives a link that only stalls, whole', async () => {
    await startInstance();
    const proxy = await startTcpProxy(nats.port);
    const connection = await connectToNats({ url: `nats://127.0.0.1:${proxy.port}`, name: 'slow-edge', logger });
    const slowClient = new NatsGenerationClient(connection, { ...patient, logger });
    const opened = Array.from({ length: 50 }, () => open({ chunks: '30', delay: '5' }, slowClient));
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.chunks.length > 0)));
    proxy.freeze();
    await sleep(600);
    proxy.resume();
    for (const { listener } of opened) await listener.settled();
    expect(verifyWhole(opened, 30)).toBe(0);
    slowClient.close();
    await connection.close();
    await proxy.close();
  });

  it('fails visibly when nats-server is killed and stays away; new ones work after its return', async () => {
    bePatient();
    await startInstance();
    const opened = Array.from({ length: 20 }, () => open({ chunks: '1000', delay: '20' }));
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.chunks.length > 0)));
    await nats.kill();
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.failure !== null)));
    for (const { listener } of opened) expect(listener.failure?.code).toBe('disconnected');
    const refused = open({}).listener;
    await refused.settled();
    expect(refused.failure).toMatchObject({ code: 'overloaded', status: 503, retryAfterS: 1 });

    await nats.start();
    for (;;) {
      const { listener } = open({ chunks: '2' });
      await listener.settled();
      if (listener.ended) break;
      await sleep(50);
    }
    for (const { listener } of opened) expect((await listener.settled()).accounted).toBe(true);
  });

  it('has its usage in JetStream once its end was seen, even if the instance is killed in that moment', async () => {
    bePatient();
    const instance = await startInstance();
    await open({}).listener.settled();
    const opened = Array.from({ length: 50 }, () => open({ chunks: '3' }));
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.ended)));
    await instance.stop('SIGKILL');
    const counted = new Set<string>();
    const consumer = new UsageConsumer(edge, async (events) => events.forEach(({ id }) => counted.add(id)), { logger });
    await consumer.start();
    await eventually(() => opened.every(({ request }) => counted.has(request.eventId)));
    await consumer.stop();
  });

  it('is finished by a process that is told to stop', async () => {
    bePatient();
    const instance = await startInstance();
    const opened = Array.from({ length: 20 }, () => open({ chunks: '30', delay: '20' }));
    await Promise.all(opened.map(({ listener }) => listener.until(() => listener.chunks.length > 0)));
    const exited = instance.stop('SIGTERM');
    for (const { listener } of opened) await listener.settled();
    expect(verifyWhole(opened, 30)).toBe(0);
    expect(await exited).toBe(0);
  });

  it.each(['before it is told to stop', 'while it waits for its usage'])(
    'is not waited for by an instance that lost its connection %s: its journal has the usage',
    async (when) => {
      const folder = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
      const journal = new UsageJournal(folder, { logger });
      const connection = await connectToNats({ url: nats.url, name: 'leaving', logger });
      const usage = new UsagePublisher(connection, { journal, logger });
      const leaving = new NatsGenerationServer(connection, { journal, usage, logger });
      await leaving.serve(
        ['openai-chat'],
        10,
        scriptedHandler(() => undefined),
      );
      const lost = (async () => {
        for await (const { type } of connection.status()) if (type === Events.Disconnect) return;
      })();
      const lose = async (): Promise<void> => {
        await nats.kill();
        await lost;
        leaving.publishUsage(anEvent('kept'), () => undefined);
      };
      const flush = usage.flush.bind(usage);
      const waits = jest.spyOn(usage, 'flush');
      if (when === 'while it waits for its usage')
        waits.mockImplementationOnce(async (timeoutMs) => {
          await lose();
          return flush(timeoutMs);
        });
      else await lose();
      // Longer than this test may take.
      await leaving.drain(600_000);
      expect(journal.size).toBe(1);
      usage.close();
      journal.close();
      await connection.close();
      expect(await readFile(join(folder, (await readdir(folder))[0] ?? ''), 'utf8')).toContain('kept');
      await rm(folder, { recursive: true });
      await nats.start();
    },
  );
});
