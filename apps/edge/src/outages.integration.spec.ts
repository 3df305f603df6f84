import { modelKindOf } from '@tollgate/contracts';
import { NatsGenerationClient } from '@tollgate/messaging';
import { patience } from '@tollgate/testing';
import { surfaces } from '@tollgate/dialects/surface';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingLink } from './messaging-link';
import { EdgeRig, eventually, question } from './testing/edge-rig';
import { surfaceSamples } from './testing/surface-samples';

let rig: EdgeRig;
beforeEach(async () => {
  rig = await EdgeRig.start();
});
afterEach(() => {
  jest.restoreAllMocks();
  return rig.stop();
});

const streamed = { ...question, stream: true };

describe('while NATS is away', () => {
  it('generations are answered 503 with Retry-After within a second, streams fail visibly, and all is well within five seconds of its return', async () => {
    const apiKey = rig.accounts.create();
    Object.assign(rig.inference.behaviour, { chunks: 500, pauseMs: 20 });
    const open = await rig.chat(apiKey, streamed);
    await rig.nats.kill();
    expect(await open.text()).not.toContain('[DONE]');
    await sleep(100);
    for (let i = 0; i < 5; i++) {
      const begin = performance.now();
      const answer = await rig.chat(apiKey, question);
      expect(performance.now() - begin).toBeLessThan(1_000 * patience);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect((await fetch(`${rig.url}/readyz`)).status).toBe(503);
    expect((await rig.get('/v1/models', apiKey)).status).toBe(200);
    await rig.nats.start();
    await eventually(async () => (await rig.chat(apiKey, question)).status === 200, 5_000);
  });
});

describe('while NATS is frozen', () => {
  it('the first callers hear within a second; then it counts as away: 503 at once, also after keys have become uncertain, and all is well when it goes on', async () => {
    const unlimited = rig.accounts.create();
    const apiKey = rig.accounts.create({ quotaTokens: 1_000_000 });
    for (const key of [unlimited, apiKey]) expect((await rig.chat(key, question)).status).toBe(200);
    await rig.nats.pause();
    const frozenAt = performance.now();
    expect((await rig.chat(unlimited, question)).status).toBe(503);
    // 0.9 s on a machine that does nothing else.
    expect(performance.now() - frozenAt).toBeLessThan(2_500 * patience);
    await sleep(2_000);
    for (let i = 0; i < 6; i++) {
      const begin = performance.now();
      const answer = await rig.chat(apiKey, question);
      expect(performance.now() - begin).toBeLessThan(750 * patience);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      await sleep(800);
    }
    expect((await fetch(`${rig.url}/readyz`)).status).toBe(503);
    expect((await rig.get('/v1/models', apiKey)).status).toBe(200);
    rig.nats.resume();
    await eventually(async () => (await rig.chat(apiKey, question)).status === 200, 5_000);
  });
});

it('a NATS that was only late costs nobody an answer who came while it was taken for away', async () => {
  // For how long a request waits is told by messaging-link.spec, without a machine that may be late itself.
  const isUpSoon = jest.spyOn(MessagingLink.prototype, 'isUpSoon');
  isUpSoon.mockImplementation(async function (this: MessagingLink) {
    await eventually(() => this.isUp);
    return true;
  });
  const apiKey = rig.accounts.create();
  expect((await rig.chat(apiKey, question)).status).toBe(200);
  await rig.nats.pause();
  await eventually(async () => (await fetch(`${rig.url}/readyz`)).status === 503);
  const answers = Promise.all(Array.from({ length: 5 }, () => rig.chat(apiKey, question)));
  rig.nats.resume();
  expect((await answers).map(({ status }) => status)).toEqual(new Array(5).fill(200));
});

describe('while accounts is away', () => {
  it('known keys go on and unknown keys get 503, not 401', async () => {
    const known = rig.accounts.create();
    const unknown = rig.accounts.create();
    await rig.get('/v1/models', known);
    rig.accounts.stop();
    await sleep(6_000);
    expect((await rig.chat(known, question)).status).toBe(200);
    const answer = await rig.chat(unknown, question);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await rig.get('/v1/models', unknown)).status).toBe(503);
    rig.accounts.start();
    await eventually(async () => (await rig.chat(unknown, question)).status === 200);
  });
});

describe('when an instance is lost', () => {
  // A fifth of the real time, in ticks that do not count while this process stands still.
  beforeEach(() => void Object.assign(rig.service.get(NatsGenerationClient).settings, { silenceMs: 3_000 }));

  it('a body of many tiny values is charged for its words, as a thread counts them, and not by its bytes', async () => {
    const apiKey = rig.accounts.create({ quotaTokens: 10_000_000 });
    Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 60_000 });
    const body = { ...streamed, metadata: { a: new Array(150_000).fill([]) } };
    const answer = await rig.chat(apiKey, body);
    await answer.body?.getReader().read();
    await rig.inference.vanish();
    await eventually(() => rig.metering.events.length > 0, 45_000);
    expect(rig.metering.events).toMatchObject([{ reportedBy: 'edge', estimated: true, usage: { input: 9 } }]);
  });

  it('edge reports the usage of every surface: what the caller was sent, counted and marked as estimated, under the event id of the request', async () => {
    const apiKey = rig.accounts.create();
    Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 60_000 });
    const { events } = rig.metering;
    const streaming = surfaces.filter(({ name }) => modelKindOf(name) === 'generation');
    const answers = streaming.map(async ({ name, path }) => {
      const answer = await rig.post(path, apiKey, { ...surfaceSamples[name].request, stream: true });
      await answer.body?.getReader().read();
    });
    await Promise.all(answers);
    await rig.inference.vanish();
    await eventually(() => events.length >= streaming.length, 45_000);
    expect(events.map(({ surface }) => surface).sort()).toEqual(streaming.map(({ name }) => name).sort());
    for (const { request } of rig.inference.calls) {
      const event = events.find(({ id }) => id === request.eventId);
      expect(event).toMatchObject({
        surface: request.surface,
        state: 'failed',
        reportedBy: 'edge',
        estimated: true,
        model: 'openai/gpt-5.4-mini',
      });
      expect(event?.usage.input).toBeGreaterThan(0);
      expect(event?.usage.output).toBeGreaterThan(0);
    }
  });
});
