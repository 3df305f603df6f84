import type { GenerationFailure, GenerationRequest } from '@tollgate/contracts/inference';
import { startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectToNats } from '../connection/connect-to-nats';
import { RecordingListener, aRequest, anEvent, answerOf } from '../testing/generation-fixtures';
import { scriptedHandler } from '../testing/scripted-handler';
import type { HandlerReport } from '../testing/scripted-handler';
import { ensureUsageStreams } from '../usage/usage-streams';
import { NatsGenerationClient } from './client/nats-generation-client';
import { decodeMessage, frameHeaderBytes, frameTypes, messageHead, type Frame } from './frame';
import { settlementBytes } from './settlement';
import type { GenerationHandler } from './generation-stream';
import { NatsGenerationServer } from './server/nats-generation-server';
import { decodeEnvelope } from './request-envelope';

const logger = pino({ level: 'silent' });
const body = Buffer.from('{"model":"openai/gpt-4o"}');

/** A frame as another release sends it: of any type. */
type OtherFrame = Omit<Frame, 'type'> & { type: number };

const unknownMember = { whatTheNextReleaseSays: { deeply: [1, null, 'x'] } };
const withMember = (json: Uint8Array): Buffer =>
  Buffer.from(JSON.stringify({ ...(JSON.parse(Buffer.from(json).toString()) as object), ...unknownMember }));

function encode(sender: string, frames: readonly OtherFrame[]): Buffer {
  const parts = frames.flatMap(({ type, stream, number, payload }) => {
    const header = Buffer.alloc(frameHeaderBytes);
    header[0] = type;
    [stream, number, payload.length].forEach((value, index) => header.writeUInt32BE(value, 1 + 4 * index));
    return [header, payload];
  });
  return Buffer.concat([messageHead(sender), ...parts]);
}

type Say = (data: Uint8Array) => Uint8Array;

/**
 * The connection of a process of another release: what it publishes below a prefix is said as that one says
 * it, with nothing sealed.
 */
function otherRelease(connection: NatsConnection, says: Readonly<Record<string, Say>>): NatsConnection {
  const publish: NatsConnection['publish'] = (subject, data, options) => {
    const say = Object.entries(says).find(([prefix]) => subject.startsWith(prefix))?.[1];
    if (say && data instanceof Uint8Array) connection.publish(subject, say(data));
    else connection.publish(subject, data, options);
  };
  return Object.create(connection, { publish: { value: publish } }) as NatsConnection;
}

/**
 * An edge of another release, by what it says to an instance that has a stream of its. It has no key, as
 * edges had none before answers were sealed.
 */
const edgeThatSays =
  (control: Say) =>
  (connection: NatsConnection): NatsConnection =>
    otherRelease(connection, { 'inference.control.': control, 'inference.': (data) => data });

/** Each frame of a message as another release says it. */
const eachFrame = (change: (frame: Frame) => OtherFrame[]) => (data: Uint8Array) => {
  const { sender, frames } = decodeMessage(data);
  return encode(sender, frames.flatMap(change));
};

let nats: NatsServer;
let connections: NatsConnection[];
let client: NatsGenerationClient | null;
let reports: HandlerReport[];

beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  connections = [];
  client = null;
  reports = [];
  await ensureUsageStreams(await connected('streams'), logger);
});
afterEach(async () => {
  client?.close();
  for (const connection of connections) await connection.close();
});

async function connected(name: string): Promise<NatsConnection> {
  const connection = await connectToNats({ url: nats.url, name, logger });
  connections.push(connection);
  return connection;
}

const unchanged = (connection: NatsConnection): NatsConnection => connection;

/** An instance, of another release where its connection is one's. */
async function instance(
  as = unchanged,
  handler: GenerationHandler = scriptedHandler((report) => reports.push(report)),
): Promise<void> {
  await new NatsGenerationServer(as(await connected('instance')), { logger }).serve(['openai-chat'], 10, handler);
}

/** An edge that opens a generation; `say`: how it tells the request. */
async function open(
  headers: Record<string, string>,
  as = unchanged,
  say = (request: GenerationRequest): object => request,
) {
  const made = new NatsGenerationClient(as(await connected('edge')), { logger });
  client = made;
  const request = aRequest(headers);
  const listener = new RecordingListener((bytes) => handle.consumed(bytes));
  const handle = made.open(say(request) as GenerationRequest, body, listener);
  return { request, listener, handle };
}

/** Its answers can be rewritten, because they are not sealed. */
const edgeWithoutKey = edgeThatSays((data) => data);

describe('an edge of this release with an instance of a newer one', () => {
  it('passes over members and frames that it does not know', async () => {
    const json: readonly number[] = [frameTypes.attempt, frameTypes.head];
    const newer = eachFrame((frame) => {
      const { type, stream, payload } = frame;
      const unknown = { type: 19, stream, number: 7, payload: Buffer.from('what nobody knows here') };
      if (json.includes(type)) return [unknown, { ...frame, payload: withMember(payload) }];
      if (type !== frameTypes.end) return [frame, unknown];
      const rest = payload.subarray(settlementBytes);
      const event = rest.length > 0 ? withMember(rest) : Buffer.from(JSON.stringify(unknownMember));
      return [{ ...frame, payload: Buffer.concat([payload.subarray(0, settlementBytes), event]) }];
    });
    await instance((connection) => otherRelease(connection, { 'edge.frames.': newer }));
    const { request, listener } = await open({ chunks: '40', size: '100000' }, edgeWithoutKey);
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 50 });
    expect(listener.failure).toBeNull();
    expect(listener.heads).toEqual([{ status: 200, headers: { 'content-type': 'text/event-stream' } }]);
    expect(listener.content.equals(answerOf(request.requestId, 40, 100_000))).toBe(true);
  });

  it.each([
    [400, 'refused'],
    [503, 'upstream'],
  ])('tells the caller a failure whose code it does not know, as it was told: %s', async (status, code) => {
    const told = { code: 'paint_has_dried', status, message: 'The paint has dried.', retryAfterS: 3 };
    await instance(unchanged, async (call) => {
      const { requestId, eventId } = call.request;
      await call.attempt({ number: 1, model: 'm', provider: 'p', deployment: requestId }, () => 0);
      const details = 'of another form';
      call.fail({ ...told, details } as unknown as GenerationFailure, anEvent(eventId, 2, 'failed'));
    });
    const { listener } = await open({});
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 12 });
    expect(listener.failure).toMatchObject({ ...told, code });
  });
});

describe('an instance of this release with an edge of another one', () => {
  it('passes over members of a newer one, and frames that it does not know', async () => {
    await instance();
    const newer = edgeThatSays(eachFrame((frame) => [{ ...frame, type: 40, payload: Buffer.from('unknown') }, frame]));
    const say = (request: GenerationRequest) => ({ ...request, ...unknownMember });
    const { request, listener } = await open({ chunks: '40', size: '100000' }, newer, say);
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 50 });
    expect(listener.content.equals(answerOf(request.requestId, 40, 100_000))).toBe(true);
  });

  it('serves an older one, which names no kind and no totals of its credit, and has no key', async () => {
    await instance();
    const older = edgeThatSays(
      eachFrame((frame) => [frame.type === frameTypes.credit ? { ...frame, payload: Buffer.alloc(0) } : frame]),
    );
    const say = ({ kind: _, ...request }: GenerationRequest) => request;
    const { request, listener } = await open({ chunks: '40', size: '100000' }, older, say);
    expect(await listener.settled()).toEqual({ accounted: true, usedTokens: 50 });
    expect(listener.content.equals(answerOf(request.requestId, 40, 100_000))).toBe(true);
  });

  it('gets keys of the account with the request, whose kind on the wire no release without own keys knows', async () => {
    const seen: GenerationRequest[] = [];
    const kinds: unknown[] = [];
    (await connected('watcher')).subscribe('inference.generate.*', {
      callback: (_error, { data }) => {
        const { part, requestBytes } = decodeEnvelope(data);
        kinds.push((JSON.parse(Buffer.from(part.subarray(0, requestBytes)).toString()) as { kind: unknown }).kind);
      },
    });
    const scripted = scriptedHandler((report) => reports.push(report));
    await instance(unchanged, (call) => {
      seen.push(call.request);
      return scripted(call);
    });
    const ownKeys = { acme: 'sealed' };
    const { listener } = await open({}, unchanged, (request) => ({ ...request, ownKeys }));
    await listener.settled();
    expect(seen).toMatchObject([{ kind: 'generate', ownKeys }]);
    expect(kinds).toEqual(['generate with own keys']);
  });

  it('stops for a reason that it does not know', async () => {
    await instance();
    const asleep = Buffer.from('caller_fell_asleep');
    const newer = edgeThatSays(
      eachFrame((frame) => [frame.type === frameTypes.cancel ? { ...frame, payload: asleep } : frame]),
    );
    const { listener, handle } = await open({ chunks: '1000', delay: '50' }, newer);
    await listener.until(() => listener.chunks.length > 0);
    handle.cancel('caller_left');
    expect(await listener.settled()).toMatchObject({ accounted: true });
    expect(reports.at(-1)).toMatchObject({ what: 'stopped', reason: 'caller_left' });
  });
});
