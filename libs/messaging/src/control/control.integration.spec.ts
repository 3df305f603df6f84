import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ControlError, operation } from '@tollgate/contracts';
import { eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { pino } from 'pino';
import type { NatsConnection } from 'nats';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { connectToNats } from '../connection/connect-to-nats';
import { publishJson, subscribeJson } from '../notices';
import { ControlClient } from './control-client';
import { controlServerOptions } from './control-server';
import { Serve } from './serve';
import { serveOperation } from './serve-operation';

const logger = pino({ level: 'silent' });
/** For a machine that stands still for a while, and hundreds of questions at once. */
const patiently = { timeoutMs: 2_000 * patience };
/** For one that comes later. */
const veryPatiently = { timeoutMs: 60_000, absentMs: 60_000 };
const add = operation(
  'test.numbers.add',
  z.object({ a: z.number(), b: z.number().default(1) }),
  z.object({ sum: z.number() }),
);
const explode = operation('test.numbers.explode', z.object({ how: z.string() }), z.object({ never: z.string() }));
const unserved = operation('test.numbers.unserved', z.object({}), z.object({}));

@Controller()
class NumbersController {
  private readonly offset = 100;

  @Serve(add)
  async add({ a, b }: z.output<typeof add.request>): Promise<z.input<typeof add.reply>> {
    return { sum: a + b + this.offset };
  }

  @Serve(explode)
  async explode({ how }: { how: string }): Promise<{ never: string }> {
    if (how === 'refuse') throw new ControlError('not_found', 'There is no such number.');
    if (how === 'hang') await sleep(1_000);
    throw new Error('the password is hunter2');
  }
}

@Module({ controllers: [NumbersController] })
class NumbersModule {}

describe('control operations over a real nats-server', () => {
  let nats: NatsServer;
  let service: INestMicroservice;
  let connection: NatsConnection;
  let own: NatsConnection;
  let client: ControlClient;

  beforeAll(async () => {
    nats = await startNatsServer();
    own = await connectToNats({ url: nats.url, name: 'test', logger });
    service = await NestFactory.createMicroservice(NumbersModule, {
      ...controlServerOptions('test', own),
      logger: false,
    });
    await service.listen();
    connection = await connectToNats({ url: nats.url, name: 'caller', logger });
    client = new ControlClient(connection);
  });
  afterAll(async () => {
    await connection.close();
    await service.close();
    // Nest leaves the connection to the service whose it is.
    expect(own.isClosed()).toBe(false);
    await own.close();
    await nats.stop();
  });

  const refusal = (call: Promise<unknown>): Promise<unknown> => call.then(() => null).catch((error: unknown) => error);

  it('brings the parsed request to the method and its reply back', async () => {
    expect(await client.call(add, { a: 1 }, patiently)).toEqual({ sum: 102 });
  });

  it('brings a reply to who asked, sealed for everybody else who hears it, also where it is a refusal', async () => {
    const overheard: string[] = [];
    const other = await connectToNats({ url: nats.url, name: 'another caller', logger });
    other.subscribe('_INBOX.>', { callback: (_error, message) => void overheard.push(message.string()) });
    await other.flush();
    expect(await client.call(add, { a: 1 }, patiently)).toEqual({ sum: 102 });
    await refusal(client.call(explode, { how: 'refuse' }, patiently));
    await other.flush();
    await other.close();
    expect(overheard).toHaveLength(2);
    for (const text of overheard) expect(text).not.toMatch(/sum|number/);
  });

  it('answers a caller of an older release, which sends no key, in clear', async () => {
    const packet = JSON.stringify({ pattern: add.subject, data: { a: 1 }, id: '1' });
    const reply = await connection.request(add.subject, packet, { timeout: patiently.timeoutMs });
    expect(reply.json()).toMatchObject({ response: { sum: 102 } });
  });

  it('brings a quick form of a reply to who reads it, and the usual one where either side is of the release before', async () => {
    const usual = operation(
      'test.numbers.list',
      z.object({ most: z.number() }),
      z.object({ numbers: z.array(z.number()) }),
    );
    const inText = z.object({ text: z.string() }).transform(({ text }) => ({ numbers: text.split(' ').map(Number) }));
    const reply = z.union([inText, usual.reply]);
    const list = { ...usual, quick: { asked: { inText: true }, reply } };
    const asked: unknown[] = [];
    const numbers = [1, 2];
    const request = z.object({ most: z.number(), inText: z.boolean().optional() });
    const ofNow = { ...usual, request, reply };
    const ofBefore = serveOperation(
      own,
      'test',
      usual,
      (question) => Promise.resolve({ numbers, ...question }),
      logger,
    );
    expect(await client.call(list, { most: 2 }, patiently)).toEqual({ numbers });
    ofBefore.unsubscribe();
    const answer = (question: z.output<typeof request>) => {
      asked.push(question);
      return Promise.resolve(question.inText === true ? { text: '3 4' } : { numbers });
    };
    const served = serveOperation(own, 'test', ofNow, answer, logger);
    await own.flush();
    expect(await client.call(list, { most: 2 }, patiently)).toEqual({ numbers: [3, 4] });
    expect(await client.call(usual, { most: 2 }, patiently)).toEqual({ numbers });
    served.unsubscribe();
    expect(asked).toEqual([{ most: 2, inText: true }, { most: 2 }]);
  });

  it('refuses a request that does not parse, naming the field, before the method runs', async () => {
    const call = client.call({ ...add, request: z.object({ a: z.string() }) }, { a: 'one' });
    const error = await refusal(call);
    expect(error).toBeInstanceOf(ControlError);
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(/^a: /) });
  });

  it('brings a refusal across as it was', async () => {
    const error = await refusal(client.call(explode, { how: 'refuse' }, patiently));
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no such number.' });
  });

  it('tells nothing of an unexpected fault but that it happened', async () => {
    const error = await refusal(client.call(explode, { how: 'crash' }, patiently));
    expect(error).toMatchObject({ code: 'internal' });
    expect(String(error)).not.toContain('hunter2');
  });

  it('says unavailable at once when nobody serves an operation, to those who need not have an answer', async () => {
    const asked = jest.spyOn(connection, 'request');
    expect(await refusal(client.call(unserved, {}, { absentMs: 0 }))).toMatchObject({ code: 'unavailable' });
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
  });

  it('waits for an instance that comes in time when nobody serves an operation', async () => {
    const asked = jest.spyOn(connection, 'request');
    const call = client.call(unserved, {}, veryPatiently);
    await eventually(() => asked.mock.calls.length > 2);
    asked.mockRestore();
    const late = serveOperation(own, 'test', unserved, async () => ({}), logger);
    expect(await call).toEqual({});
    late.unsubscribe();
  });

  it('says unavailable in time when nobody comes', async () => {
    expect(await refusal(client.call(unserved, {}, { timeoutMs: 250 }))).toMatchObject({ code: 'unavailable' });
  });

  it('loses no question to an instance that stops beside another', async () => {
    for (let time = 0; time < 5; time++) {
      const connectionOfIt = await connectToNats({ url: nats.url, name: 'leaving', logger });
      const leaving = await NestFactory.createMicroservice(NumbersModule, {
        ...controlServerOptions('test', connectionOfIt),
        logger: false,
      });
      await leaving.listen();
      await connectionOfIt.flush();
      const answers: Promise<unknown>[] = [];
      for (let turn = 0; turn < 40; turn++) {
        for (let n = 0; n < 20; n++) answers.push(refusal(client.call(add, { a: n }, patiently)));
        await setImmediate();
        if (turn === 20) answers.push(leaving.close());
      }
      expect((await Promise.all(answers)).filter((answer) => answer instanceof ControlError)).toEqual([]);
      await connectionOfIt.close();
    }
  });

  it('says unavailable in time when the service does not answer', async () => {
    const before = performance.now();
    expect(await refusal(client.call(explode, { how: 'hang' }, { timeoutMs: 200 }))).toMatchObject({
      code: 'unavailable',
    });
    expect(performance.now() - before).toBeLessThan(900 * patience);
  });

  it('does not count that its own process stood still: the answer may have come meanwhile', async () => {
    const standStill = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
      return {};
    };
    const late = serveOperation(own, 'test', unserved, standStill, logger);
    expect(await client.call(unserved, {}, { timeoutMs: 1_000 })).toEqual({});
    late.unsubscribe();
  });

  it('refuses an answer that is not what the operation promises', async () => {
    const other = operation(add.subject, add.request, z.object({ sum: z.string() }));
    expect(await refusal(client.call(other, { a: 1 }))).toMatchObject({ code: 'internal' });
  });

  it('uses one subscription for all calls, answered or not', async () => {
    const before = await subscriptions(connection);
    await Promise.all(Array.from({ length: 200 }, (_, i) => client.call(add, { a: i }, patiently)));
    await Promise.all(Array.from({ length: 20 }, () => refusal(client.call(unserved, {}, { absentMs: 0 }))));
    expect(await subscriptions(connection)).toBe(before);
  });

  it('hears notices that parse and is not disturbed by those that do not, or by a handler that fails', async () => {
    const heard: number[] = [];
    const notice = z.object({ revision: z.number() });
    const subscription = subscribeJson(
      connection,
      'test.notice',
      notice,
      ({ revision }) => {
        if (revision === 2) throw new Error('a bug');
        heard.push(revision);
      },
      logger,
    );
    for (const value of [{ revision: 1 }, { other: true }, { revision: 2 }, { revision: 3 }])
      publishJson(connection, 'test.notice', value);
    connection.publish('test.notice', 'not json');
    await connection.flush();
    subscription.unsubscribe();
    expect(heard).toEqual([1, 3]);
  });

  it('serves again after nats-server was killed and came back, without a restart of the service', async () => {
    await nats.kill();
    await nats.start();
    await eventually(async () => (await refusal(client.call(add, { a: 1 }, { timeoutMs: 500 }))) === null);
  });
});

/** Subscriptions that the client library holds; it has no public count. */
async function subscriptions(connection: NatsConnection): Promise<number> {
  await connection.flush();
  const counted = z.object({ protocol: z.object({ subscriptions: z.object({ subs: z.instanceof(Map) }) }) });
  return counted.parse(connection).protocol.subscriptions.subs.size;
}
