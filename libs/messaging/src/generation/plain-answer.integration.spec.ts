import { usageStream } from '@tollgate/contracts';
import { startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { NatsConnectionImpl } from 'nats/lib/nats-base-client/internal_mod';
import { pino } from 'pino';
import { connectToNats } from '../connection/connect-to-nats';
import { RecordingListener, aRequest, anEvent, answerOf } from '../testing/generation-fixtures';
import { scriptedHandler } from '../testing/scripted-handler';
import { ensureUsageStreams } from '../usage/usage-streams';
import { NatsGenerationClient } from './client/nats-generation-client';
import { NatsGenerationServer } from './server/nats-generation-server';

const logger = pino({ level: 'silent' });

/** Nothing is let go by a tick, a fifth of the shortest of these, however busy the machine is. */
const minute = 60_000;
const patient = { pingMs: minute, silenceMs: minute, heartbeatMs: minute, settleMs: minute, slowReaderMs: minute };

/** The subjects of what a write to NATS holds. */
const subjectsIn = (bytes: Uint8Array): string[] =>
  [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/^H?PUB (\S+) /gm),
  ].map(([, subject = '']) => subject);

/** Hears of each write of a connection. */
function watchWrites(connection: NatsConnection, onWrite: (subjects: string[]) => void): void {
  if (!(connection instanceof NatsConnectionImpl)) throw new Error('not a connection of the client library');
  const { transport } = connection.protocol;
  const send = transport.send.bind(transport);
  jest.spyOn(transport, 'send').mockImplementation((bytes) => {
    onWrite(subjectsIn(bytes));
    send(bytes);
  });
}

describe('an answer that is no stream', () => {
  let nats: NatsServer;
  let edge: NatsConnection;
  let instance: NatsConnection;
  let client: NatsGenerationClient;
  let server: NatsGenerationServer;
  let writes: string[][];

  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());

  beforeEach(async () => {
    edge = await connectToNats({ url: nats.url, name: 'edge', logger });
    instance = await connectToNats({ url: nats.url, name: 'instance', logger });
    await ensureUsageStreams(edge, logger);
    writes = [];
    watchWrites(instance, (subjects) => writes.push(subjects));
    client = new NatsGenerationClient(edge, { acceptTimeoutMs: minute, logger });
    server = new NatsGenerationServer(instance, { ...patient, logger });
    await server.serve(
      ['openai-chat'],
      10,
      scriptedHandler(() => undefined),
    );
  });
  afterEach(async () => {
    client.close();
    await Promise.all([edge.close(), instance.close()]);
  });

  /** The writes to NATS that had frames for edge, or usage, in them. */
  async function writesOf(headers: Record<string, string>): Promise<string[][]> {
    const request = { ...aRequest(headers), stream: false };
    const listener = new RecordingListener((bytes) => handle.consumed(bytes));
    const handle = client.open(request, Buffer.from('{}'), listener);
    expect(await listener.settled()).toMatchObject({ accounted: true });
    const { chunks = '1', size = '100' } = headers;
    expect(listener.content.equals(answerOf(request.requestId, Number(chunks), Number(size)))).toBe(true);
    // A stream that is asked about itself, say, is none of the answer's.
    const ofAnswer = new Set<string>(['edge.frames', usageStream.subject]);
    return writes
      .map((subjects) => subjects.map((subject) => subject.replace(/^(edge\.frames)\..*/, '$1')))
      .map((subjects) => subjects.filter((subject) => ofAnswer.has(subject)));
  }

  it.each([
    ['leaves in one write with its usage event: the event, then all of the answer in one message', false],
    ['does so too where its event gathered because another one is being stored', true],
  ])('%s', async (_, isStoring) => {
    if (isStoring) {
      // This one is never acknowledged.
      jest.spyOn(instance, 'publish').mockImplementationOnce(() => undefined);
      server.usage.publish(anEvent('lost on its way'));
      server.usage.send();
    }
    const told = await writesOf({ chunks: '3', size: '400', delay: '1' });
    expect(told.filter((subjects) => subjects.length > 0).slice(-2)).toEqual([
      ['edge.frames'],
      [usageStream.subject, 'edge.frames'],
    ]);
  });

  it('is not held back where it is large', async () => {
    const told = await writesOf({ chunks: '40', size: '10000', delay: '1' });
    const all = told.flat().filter((subject) => subject === 'edge.frames');
    expect(all.length).toBeGreaterThan(3);
  });
});
