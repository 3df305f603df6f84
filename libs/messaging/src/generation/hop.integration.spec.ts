import { generationSubjects } from '@tollgate/contracts/inference';
import { patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { pino } from 'pino';
import type { Msg, NatsConnection } from 'nats';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { connectToNats } from '../connection/connect-to-nats';
import { PlacesByKey, RecordingListener, aRequest, anEvent, answerOf, noPlace } from '../testing/generation-fixtures';
import { scriptedHandler } from '../testing/scripted-handler';
import type { HandlerReport } from '../testing/scripted-handler';
import { ensureUsageStreams } from '../usage/usage-streams';
import { NatsGenerationClient } from './client/nats-generation-client';
import { AnswerKey } from '../sealing';
import { FrameError, decodeMessage, frameTypes } from './frame';
import type { Frame } from './frame';
import { FramePost } from './frame-post';
import type { GenerationHandler, PlaceKeeper } from './generation-stream';
import type { HopSettings } from './hop-settings';
import { decodeEnvelope, encodeEnvelope } from './request-envelope';
import { RequestAssembly } from './server/arrivals';
import { NatsGenerationServer } from './server/nats-generation-server';

const logger = pino({ level: 'silent' });
const body = Buffer.from('{"model":"openai/gpt-4o"}');

/** Of an edge for whose requests there is room somewhere: it waits until who has it comes to answer. */
const patiently = { busyGraceMs: 60_000, offerTimeoutMs: 60_000, patienceMs: 60_000 };

describe('a generation over a real nats-server', () => {
  let nats: NatsServer;
  let edge: NatsConnection;
  let client: NatsGenerationClient;
  let connections: NatsConnection[];
  let otherClients: NatsGenerationClient[];
  let reports: HandlerReport[];

  /** 64 KiB is the smallest limit that we support; here everything larger is split. */
  beforeAll(async () => {
    nats = await startNatsServer({ maxPayloadBytes: 64 * 1024 });
  });
  afterAll(() => nats.stop());

  beforeEach(async () => {
    reports = [];
    edge = await connectToNats({ url: nats.url, name: 'edge', logger });
    connections = [edge];
    otherClients = [];
    client = new NatsGenerationClient(edge, { logger });
    await ensureUsageStreams(edge, logger);
  });
  afterEach(async () => {
    for (const each of [client, ...otherClients]) each.close();
    for (const connection of connections) await connection.close();
  });

  async function serve(
    settings: Partial<HopSettings> & { maxInFlight?: number } = {},
    handler: GenerationHandler = scriptedHandler((report) => reports.push(report)),
    places?: PlaceKeeper,
  ): Promise<NatsGenerationServer> {
    const connection = await connectToNats({ url: nats.url, name: 'instance', logger });
    connections.push(connection);
    const server = new NatsGenerationServer(connection, { ...settings, logger });
    await server.serve(['openai-chat'], settings.maxInFlight ?? 1_000, handler, places);
    return server;
  }

  /** An edge with other times. */
  function clientWith(settings: Partial<HopSettings>): NatsGenerationClient {
    const other = new NatsGenerationClient(edge, { ...settings, logger });
    otherClients.push(other);
    return other;
  }

  /** Opens a generation whose listener reads at once. */
  function open(headers: Record<string, string>, content: Uint8Array = body, by = client) {
    const request = aRequest(headers);
    const listener = new RecordingListener((bytes) => handle.consumed(bytes));
    const handle = by.open(request, content, listener);
    return { request, listener, handle };
  }

  it('brings an answer whole and in order, far beyond the credit window and the payload limit', async () => {
    await serve();
    const { request, listener } = open({ chunks: '40', size: '100000' });
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 50 });
    expect(listener.ended).toBe(true);
    expect(listener.attempts).toHaveLength(1);
    expect(listener.heads).toEqual([{ status: 200, headers: { 'content-type': 'text/event-stream' } }]);
    expect(listener.content.equals(answerOf(request.requestId, 40, 100_000))).toBe(true);
  });

  /** An edge that offers requests of one key to all instances, and says no more. */
  async function slowEdge() {
    const slow = await connectToNats({ url: nats.url, name: 'slow edge', logger });
    connections.push(slow);
    const messages = slow.subscribe(generationSubjects.frames('slow.*'))[Symbol.asyncIterator]();
    const request = Buffer.from(JSON.stringify({ ...aRequest(), keyId: 'attacker' }));
    const post = new FramePost(slow, { sender: 'slow', coalesceMs: 0, logger });
    const told: Frame[] = [];
    const hear = async (): Promise<Frame> => {
      while (told.length === 0) {
        const { value } = (await messages.next()) as IteratorYieldResult<Msg>;
        told.push(...decodeMessage(value.data).frames);
      }
      return told.shift() as Frame;
    };
    const send = (stream: number): void => {
      const sizes = { requestBytes: request.length, contentBytes: request.length + 1_000 };
      const envelope = encodeEnvelope({ edge: 'slow', stream, sentAt: Date.now(), window: 1_000, ...sizes }, [request]);
      slow.publish(generationSubjects.offer('openai-chat'), envelope);
    };
    const offer = (stream: number): Promise<Frame> => {
      send(stream);
      return hear();
    };
    return { hear, send, offer, post };
  }

  it('is read by the edge that asked, and by no other that hears what goes to it', async () => {
    await serve();
    const overheard: Uint8Array[] = [];
    const other = await connectToNats({ url: nats.url, name: 'another edge', logger });
    connections.push(other);
    other.subscribe(generationSubjects.frames('*.*'), { callback: (_error, { data }) => void overheard.push(data) });
    await other.flush();
    const { request, listener } = open({ chunks: '1', size: '1000' });
    await listener.settled();
    await other.flush();
    const answer = answerOf(request.requestId, 1, 1_000);
    expect(listener.content.equals(answer)).toBe(true);
    const heard = Buffer.concat(overheard);
    expect(heard.length).toBeGreaterThan(answer.length);
    expect(heard.includes(answer.subarray(0, 16))).toBe(false);
    for (const message of overheard) expect(() => decodeMessage(message, new AnswerKey())).toThrow(FrameError);
  });

  it('is sealed with no key that another edge sends in the name of the one that asks', async () => {
    await serve();
    const other = await connectToNats({ url: nats.url, name: 'another edge', logger });
    connections.push(other);
    const from = { edge: client.edgeId, stream: 4_000_000_000, sentAt: Date.now(), window: 1_000 };
    const envelope = encodeEnvelope({ ...from, requestBytes: 0, contentBytes: 1 }, []);
    other.publish(generationSubjects.offer('openai-chat'), envelope, { headers: new AnswerKey().headers });
    await other.flush();
    expect(await open({}).listener.settled()).toMatchObject({ accounted: true });
  });

  it('tells the usage at the end to who asks for it, and ends all the same where that cannot be read', async () => {
    await serve({}, async (call) => {
      call.head({ status: 200, headers: {} });
      call.end(anEvent(call.request.eventId, Number(call.request.headers.output)));
    });
    for (const [output, told] of [
      ['5', { usage: { output: 5 } }],
      // More than a number can count.
      ['1e17', null],
    ] as const) {
      const listener = new RecordingListener();
      client.open({ ...aRequest({ output }), tellUsage: true }, body, listener);
      expect(await listener.settled()).toMatchObject({ accounted: true });
      if (told) expect(listener.told).toMatchObject(told);
      else expect(listener.told).toBeNull();
      expect(listener.ended).toBe(true);
    }
  });

  it('passes a body of 32 MiB through a limit of 64 KiB, byte for byte, in a bounded window', async () => {
    const parts = jest.spyOn(RequestAssembly.prototype, 'add');
    const large = Buffer.alloc(32 * 1024 * 1024);
    for (let offset = 0; offset < large.length; offset += 4)
      large.writeUInt32LE((offset * 2_654_435_761) >>> 0, offset);
    let received: Uint8Array | null = null;
    await serve({}, async (call) => {
      received = call.body;
      call.end(null);
    });
    const { listener } = open({}, large);
    await listener.settled();
    expect(listener.ended).toBe(true);
    expect(large.equals(received ?? new Uint8Array())).toBe(true);
    // What was copied went back to the system, but for messages that lay in one read with others.
    const left = parts.mock.calls.filter(([, part]) => part.length > 0).length;
    expect(left / parts.mock.calls.length).toBeLessThan(0.5);
    parts.mockRestore();
  });

  it('passes a single write of 5 MiB, sending no more than the caller takes', async () => {
    await serve();
    const { request, listener } = open({ chunks: '1', size: String(5 * 1024 * 1024) });
    await listener.settled();
    expect(listener.content.equals(answerOf(request.requestId, 1, 5 * 1024 * 1024))).toBe(true);
  });

  it('stops an instance within a second of a cancel, and settles with what it then counted', async () => {
    await serve();
    const { listener, handle } = open({ chunks: '1000', delay: '20' });
    await listener.until(() => listener.chunks.length >= 3);
    const cancelledAt = performance.now();
    handle.cancel('caller_left');
    expect(listener.failure?.code).toBe('cancelled');
    const settlement = await listener.settled();
    expect(performance.now() - cancelledAt).toBeLessThan(1_000 * patience);
    expect(settlement.accounted).toBe(true);
    expect(reports.at(-1)).toMatchObject({ what: 'stopped', reason: 'caller_left' });
    expect(client.openStreams).toBe(0);
  });

  it('stops an instance that was cancelled before it had accepted', async () => {
    await serve({ newEdgeMs: 0, newEdgeRequests: 1, staleAfterMs: 60_000 });
    await open({}).listener.settled();
    const { listener, handle } = open({ chunks: '1000', delay: '20' });
    handle.cancel('caller_left');
    expect((await listener.settled()).accounted).toBe(true);
    expect(reports.at(-1)).toMatchObject({ what: 'stopped' });
  });

  it('never begins a request that is cancelled while it waits for the confirmation that the first one of an edge needs', async () => {
    await serve();
    const { listener, handle } = open({ chunks: '1000', delay: '20' });
    handle.cancel('caller_left');
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 0 });
    expect(reports).toEqual([]);
  });

  it('goes to another instance when one is busy', async () => {
    await serve({ maxInFlight: 0 });
    await serve({ maxInFlight: 0 });
    await serve({ maxInFlight: 1_000 });
    const edgeOfAll = clientWith(patiently);
    const opened = Array.from({ length: 30 }, () => open({ chunks: '2' }, body, edgeOfAll).listener);
    for (const listener of opened) await listener.settled();
    expect(opened.filter((listener) => listener.ended)).toHaveLength(30);
    expect(reports.filter((report) => report.what === 'started')).toHaveLength(30);
  });

  it('that arrives slowly holds a place of its own key, and none of others, until it is given up', async () => {
    const places = new PlacesByKey(1);
    const server = await serve({ maxInFlight: 2 }, undefined, places);
    const { hear, offer, post } = await slowEdge();
    expect(await offer(1)).toMatchObject({ type: frameTypes.accept, number: 0 });
    // Asked again, it takes no second place.
    expect(await offer(1)).toMatchObject({ type: frameTypes.accept, number: 0 });
    const refused = await offer(2);
    expect([refused.type, JSON.parse(Buffer.from(refused.payload).toString())]).toEqual([frameTypes.busy, noPlace]);
    const { listener } = open({});
    await listener.settled();
    expect(listener.ended).toBe(true);
    post.send(generationSubjects.control(server.instanceId), frameTypes.cancel, 1, 0, Buffer.from('caller_left'));
    expect(await hear()).toMatchObject({ type: frameTypes.closed });
    expect(places.taken.size).toBe(0);
  });

  it('that is offered to every instance books places of its own key there, however many of them come at once', async () => {
    const places = [new PlacesByKey(2), new PlacesByKey(2)];
    const servers = await Promise.all(places.map((keeper) => serve({ maxInFlight: 3 }, undefined, keeper)));
    const { hear, send, post } = await slowEdge();
    for (let stream = 1; stream <= 8; stream++) send(stream);
    const told: number[] = [];
    while (told.length < 16) told.push((await hear()).type);
    expect(told.filter((type) => type === frameTypes.accept)).toHaveLength(4);
    for (let round = 0; round < 6; round++)
      expect(await open({}).listener.settled()).toMatchObject({ accounted: true });
    for (const { instanceId } of servers)
      for (const stream of [1, 2])
        post.send(generationSubjects.control(instanceId), frameTypes.cancel, stream, 1, Buffer.from('failed'));
    for (let count = 0; count < 4; count++) expect(await hear()).toMatchObject({ type: frameTypes.closed });
    for (const { taken } of places) expect(taken.size).toBe(0);
  });

  it('goes to another instance where its key has no place, and tells the caller its share where there is none', async () => {
    await serve({}, undefined, new PlacesByKey(0));
    const taker = await serve({}, undefined, new PlacesByKey(1));
    // The instance without places may be asked first, and be the only one that was heard of.
    const patient = clientWith(patiently);
    const running = open({ chunks: '1000', delay: '20' }, body, patient);
    await running.listener.until(() => running.listener.heads.length > 0);
    const { listener } = open({});
    expect(await listener.settled()).toEqual({ accounted: false, usedTokens: null });
    expect(listener.failure).toEqual(noPlace);
    expect(taker.inFlight).toBe(1);
    running.handle.cancel('caller_left');
    await running.listener.settled();
    const after = open({}, body, patient).listener;
    await after.settled();
    expect(after.ended).toBe(true);
  });

  it('is not counted by an instance that says only after the end that it had taken it', async () => {
    const slow = await connectToNats({ url: nats.url, name: 'slow instance', logger });
    connections.push(slow);
    const asked = slow.subscribe(generationSubjects.request('openai-chat'), {
      queue: generationSubjects.queue,
      max: 1,
    });
    const told = slow.subscribe(generationSubjects.control('slow'), { max: 1 });
    // It hears offers, too, so that they are made until another instance is there.
    slow.subscribe(generationSubjects.offer('openai-chat'));
    await slow.flush();
    const { listener } = open({}, body, clientWith({ patienceMs: 60_000 }));
    await nextTurn();
    await edge.flush();
    await serve();
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 11 });
    const post = new FramePost(slow, { sender: 'slow', coalesceMs: 0, logger });
    for await (const { data } of asked) {
      const { edge: edgeId, stream } = decodeEnvelope(data);
      post.send(`${generationSubjects.frames(edgeId)}.0`, frameTypes.accept, stream, body.length);
    }
    for await (const { data } of told) {
      const [frame] = decodeMessage(data).frames;
      // A cancel with this number: another instance has the generation.
      expect(frame).toMatchObject({ type: frameTypes.cancel, number: 1 });
    }
  });

  it('says overloaded, with a time to come back, when every instance is busy', async () => {
    await serve({ maxInFlight: 0 });
    await serve({ maxInFlight: 0 });
    const { listener } = open({});
    expect(await listener.settled()).toEqual({ accounted: false, usedTokens: null });
    expect(listener.failure).toMatchObject({ code: 'overloaded', status: 503, retryAfterS: 1 });
  });

  it('says so at once when no instance is there at all', async () => {
    const openedAt = performance.now();
    const { listener } = open({});
    await listener.settled();
    expect(listener.failure).toMatchObject({ code: 'overloaded', status: 503 });
    expect(performance.now() - openedAt).toBeLessThan(400 * patience);
  });

  it('holds no more for a caller that does not read than its window, and stops when that lasts', async () => {
    let written = 0;
    const stopped = new Promise<unknown>((resolve) => {
      void serve({ slowReaderMs: 600 }, async (call) => {
        call.head({ status: 200, headers: {} });
        try {
          for (;;) {
            const writable = call.write(Buffer.alloc(16 * 1024));
            written += 16 * 1024;
            if (!writable) await call.drained();
          }
        } catch {
          resolve(call.signal.reason);
          call.fail({ code: 'slow_reader', status: 503, message: 'too slow', retryAfterS: null }, null);
        }
      }).then(() => client.open(aRequest(), body, listener));
    });
    const listener = new RecordingListener();
    expect(await stopped).toBe('slow_reader');
    await listener.settled();
    expect(listener.failure?.code).toBe('slow_reader');
    expect(written).toBeLessThanOrEqual(256 * 1024 + 16 * 1024);
    expect(listener.content.length).toBeLessThanOrEqual(written);
  });

  it('keeps a quiet stream alive with pings', async () => {
    const times = { pingMs: 100, silenceMs: 1_500, heartbeatMs: 100 };
    await serve(times);
    const { listener } = open({ chunks: '1', delay: '3000' }, body, clientWith(times));
    await listener.settled();
    expect(listener.ended).toBe(true);
  });

  it('finishes what runs and loses nothing when an instance drains', async () => {
    const leaving = await serve();
    await serve();
    const edgeOfAll = clientWith(patiently);
    const running = Array.from({ length: 20 }, () => open({ chunks: '20', delay: '20' }, body, edgeOfAll));
    await Promise.all(running.map(({ listener }) => listener.until(() => listener.chunks.length > 0)));
    const drained = leaving.drain(10_000 * patience);
    const later: typeof running = [];
    for (let i = 0; i < 50; i++) {
      later.push(open({ chunks: '3', delay: '5' }, body, edgeOfAll));
      await sleep(4);
    }
    for (const { listener } of [...running, ...later]) await listener.settled();
    await drained;
    expect([...running, ...later].filter(({ listener }) => !listener.ended)).toHaveLength(0);
    expect(leaving.usage.pending).toBe(0);
    expect(leaving.inFlight).toBe(0);
  });

  it('fails a call whose handler throws, and lets edge account for it only if a provider may have been used', async () => {
    await serve({}, async (call) => {
      if (call.request.headers.attempt)
        await call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
      throw new Error('a bug');
    });
    const used = open({ attempt: 'yes' }).listener;
    const unused = open({}).listener;
    expect(await used.settled()).toEqual({ accounted: false, usedTokens: null });
    expect(await unused.settled()).toEqual({ accounted: true, usedTokens: 0 });
    expect(used.failure).toMatchObject({ code: 'internal', status: 500 });
  });
});
