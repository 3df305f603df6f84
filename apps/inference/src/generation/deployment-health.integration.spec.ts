import {
  answerJson,
  beginStream,
  chatChunk,
  eventually,
  goodChat,
  silence,
  startScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamScript,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const failing: UpstreamScript = (visit) => answerJson(visit, 500, '{}');

/** Providers whose health is kept by a clock that the test moves. */
describe('the health of deployments', () => {
  let broken: ScriptedUpstream;
  let healthy: ScriptedUpstream;
  let now: number;
  const runs: ScriptedRun[] = [];

  beforeEach(async () => {
    now = 1_000_000;
    broken = await startScriptedUpstream(failing);
    healthy = await startScriptedUpstream(goodChat());
  });

  afterEach(async () => {
    await Promise.all(runs.splice(0).map(({ pools }) => pools.close()));
    await broken.stop();
    await healthy.stop();
  });

  function runWith(...upstreams: ScriptedUpstream[]): ScriptedRun {
    const run = new ScriptedRun(
      upstreams.map(({ url }) => `${url}/v1`),
      { clock: () => now },
    );
    runs.push(run);
    return run;
  }

  async function times(run: ScriptedRun, count: number): Promise<RecordedCall[]> {
    const calls: RecordedCall[] = [];
    for (let index = 0; index < count; index += 1) calls.push(await run.run());
    return calls;
  }

  /** Has `broken` refuse for load, and then take as many requests of these keys, in turn, as is learned. */
  async function fillLimit(run: ScriptedRun, keyIds: readonly string[]) {
    broken.script = (visit) => answerJson(visit, 429, '{}');
    await times(run, 2);
    now += 11_000;
    await times(run, 2);
    broken.script = silence;
    const before = broken.visits.length;
    const filling = Array.from({ length: 16 / keyIds.length }, () =>
      keyIds.map((keyId) => new RecordedCall(aRequest({ keyId }))),
    ).flat();
    const filled = filling.map((call) => run.handle(call));
    await broken.visited(before + 16);
    return { filling, filled };
  }

  it('keeps requests from a provider that fails, and sends them to the next one without an attempt', async () => {
    const run = runWith(broken, healthy);
    const calls = await times(run, 20);
    for (const call of calls) expect(call.event.state).toBe('completed');
    expect(broken.visits).toHaveLength(5);
    expect(calls.at(-1)?.event.attempts).toMatchObject([{ provider: 'spare1', error: null }]);
    expect(calls.at(-1)?.heads[0]?.headers['x-gateway-attempts']).toBe('1');
    expect(run.gate.report()).toMatchObject([
      { deployment: 'acme/one@acme', state: 'open', timesOpened: 1, retryInMs: 5_000 },
      { deployment: 'spare1/one@spare1', state: 'closed' },
    ]);
  });

  it('answers at once, with the time to come back, when nobody is left to ask; nothing is counted', async () => {
    const run = runWith(broken);
    await times(run, 5);
    now += 1_500;
    const call = await run.run();
    expect(call.failures).toMatchObject([{ code: 'upstream', status: 503, retryAfterS: 4 }]);
    expect(call.events).toEqual([null]);
    expect(broken.visits).toHaveLength(5);
  });

  it('serves 32 requests at once through the one place they can go, as soon as its provider is well, however often it was struck', async () => {
    const run = runWith(broken);
    await times(run, 5);
    // Each strike finds it half-open, and doubles its cool-down: 30 s in the end.
    for (const coolDownMs of [5_000, 10_000, 20_000]) {
      now += coolDownMs;
      await run.run();
    }
    expect(run.gate.report()).toMatchObject([{ state: 'open', timesOpened: 4, retryInMs: 30_000 }]);
    broken.script = goodChat();
    now += 5_000;
    const calls = await Promise.all(Array.from({ length: 32 }, () => run.run()));
    expect(calls.flatMap(({ failures }) => failures)).toEqual([]);
    expect(run.gate.report()).toMatchObject([{ state: 'closed' }]);
  });

  it('tries it again with one request after the cool-down, and uses it again once that was answered', async () => {
    const run = runWith(broken, healthy);
    await times(run, 5);
    now += 5_000;
    await times(run, 3);
    expect(broken.visits).toHaveLength(6);
    broken.script = goodChat();
    now += 10_000;
    expect((await times(run, 3)).map(({ event }) => event.model)).toEqual(['acme/one', 'acme/one', 'acme/one']);
  });

  it('uses it again as soon as an answer has begun, however long that answer is', async () => {
    const run = runWith(broken);
    await times(run, 5);
    now += 5_000;
    broken.script = async (visit) => {
      beginStream(visit);
      visit.response.write(chatChunk({ content: 'one' }));
      await silence(visit);
    };
    const call = new RecordedCall(aRequest({ stream: true }));
    const handled = run.handle(call);
    await new Promise<void>((resolve) => (call.onWrite = () => resolve()));
    expect(run.gate.report()).toMatchObject([{ state: 'closed' }]);
    call.cancel('caller_left');
    await handled;
  });

  it('leaves a provider alone for as long as it asks for, from the first time that it does', async () => {
    broken.script = (visit) => answerJson(visit, 429, '{}', { 'retry-after': '20' });
    const run = runWith(broken, healthy);
    await times(run, 5);
    expect(broken.visits).toHaveLength(1);
    expect(run.gate.report()[0]).toMatchObject({ state: 'open', retryInMs: 20_000 });
  });

  it.each<[string, UpstreamScript]>([
    ['refuses what callers want', (visit) => answerJson(visit, 400, '{"error":{"message":"no"}}')],
    ['is left by its callers', silence],
  ])('takes a provider that %s for a good one', async (_what, script) => {
    broken.script = script;
    const run = runWith(broken);
    for (let index = 0; index < 8; index += 1) {
      const call = new RecordedCall();
      const handled = run.handle(call);
      await broken.visited(index + 1);
      if (script === silence) call.cancel('caller_left');
      await handled;
    }
    expect(run.gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0 }]);
  });

  it('takes a provider that refuses our key for a bad one', async () => {
    broken.script = (visit) => answerJson(visit, 401, '{"error":{"message":"no"}}');
    const run = runWith(broken, healthy);
    await times(run, 8);
    expect(broken.visits).toHaveLength(5);
  });

  it('retries a tenth of the requests at most, once ten retries are spent', async () => {
    // Fails less than half of the time, so that it stays in use.
    broken.script = (visit) => (visit.number % 6 < 2 ? failing(visit) : goodChat()(visit));
    const run = runWith(broken, healthy);
    const requests = 200;
    const calls = await times(run, requests);
    for (const call of calls) expect(call.event.state).toBe('completed');
    expect(broken.visits.length).toBeLessThanOrEqual(requests * 1.1 + 10);
    expect(broken.visits.length).toBeGreaterThan(requests + 10);
  });

  it('probes a provider that has fallen silent long before its time limit, and forgives it at its first answer', async () => {
    const run = runWith(broken, healthy);
    broken.script = goodChat();
    for (let count = 0; count < 10; count += 1) await run.run({ stream: true });
    const release: (() => void)[] = [];
    broken.script = async (visit) => {
      await new Promise<void>((resolve) => release.push(resolve));
      await goodChat()(visit);
    };
    now += 60_000;
    const waiting = Array.from({ length: 5 }, () => run.run({ stream: true }));
    await broken.visited(15);
    now += 5_000;
    const probes = Array.from({ length: 3 }, () => run.run({ stream: true }));
    await broken.visited(18);
    expect((await run.run({ stream: true })).event.attempts).toMatchObject([{ provider: 'spare1', error: null }]);
    for (const answer of release) answer();
    const answered = await Promise.all([...waiting, ...probes]);
    for (const call of answered) expect(call.event).toMatchObject({ state: 'completed' });
    expect(answered[0]?.event.model).toBe('acme/one');
    broken.script = goodChat();
    expect((await run.run({ stream: true })).event.model).toBe('acme/one');
  });

  it('asks nobody who was never fast enough for the time that is left', async () => {
    const run = runWith(broken);
    broken.script = (visit) => {
      now += 5_000;
      return goodChat()(visit);
    };
    await run.run();
    const call = await run.run({ deadlineAt: Date.now() + 4_000 });
    expect(call.failures).toMatchObject([{ code: 'timeout', status: 504 }]);
    expect(call.events).toEqual([null]);
    expect((await run.run({ deadlineAt: Date.now() + 60_000 })).event.state).toBe('completed');
  });

  it.each([
    ['holds a silence that used up the time of a request against its place', 0, 'open'],
    ['not where the time was gone before it was asked, as after a body that crept in', 10_000, 'closed'],
  ])('%s', async (_what, goneMs, state) => {
    broken.script = silence;
    const standing = async () => {
      const run = runWith(broken);
      const times = { startedAt: Date.now() - goneMs, deadlineAt: Date.now() + 2_000 };
      const calls = await Promise.all(Array.from({ length: 5 }, () => run.run(times)));
      for (const call of calls) expect(call.failures).toMatchObject([{ code: 'timeout', status: 504 }]);
      return run.gate.report()[0]?.state;
    };
    // Where the machine stands still before it is asked, it had no time to be silent.
    await eventually(standing, (told) => told === state);
  });

  it('sends what a provider takes no more to the next one, or lets it wait in turn, by keys', async () => {
    for (const upstreams of [[broken, healthy], [broken]]) {
      const run = runWith(...upstreams);
      // Both have their share.
      const { filling, filled } = await fillLimit(run, ['key-1', 'key-2']);
      const call = new RecordedCall(aRequest({ keyId: 'key-2' }));
      const handled = run.handle(call);
      if (upstreams.length === 1) {
        expect(run.gate.report()).toMatchObject([{ inFlight: 16, waiting: 1 }]);
        broken.script = goodChat();
        filling.pop()?.cancel('caller_left');
      }
      await handled;
      const provider = upstreams.length === 1 ? 'acme' : 'spare1';
      expect(call.event.attempts).toMatchObject([{ provider, error: null }]);
      for (const one of filling) one.cancel('caller_left');
      await Promise.all(filled);
    }
  });

  it('keeps no key from its share of what a provider takes by long answers of another, nor sends it elsewhere', async () => {
    const run = runWith(broken, healthy);
    const { filling, filled } = await fillLimit(run, ['key-1']);
    broken.script = goodChat();
    const call = new RecordedCall(aRequest({ keyId: 'key-2' }));
    await run.handle(call);
    expect(call.event.attempts).toMatchObject([{ provider: 'acme', error: null }]);
    for (const one of filling) one.cancel('caller_left');
    await Promise.all(filled);
  });

  it('sends a deployment no more at once than its operator says, and tells who waited in vain its share', async () => {
    const deployments = [{ id: 'slow', provider: 'acme', upstreamModel: 'one', maxConcurrent: 1 }];
    const run = new ScriptedRun([`${broken.url}/v1`], { clock: () => now, model: { deployments } });
    runs.push(run);
    broken.script = silence;
    const first = new RecordedCall();
    const handled = run.handle(first);
    await broken.visited(1);
    // Its deadline comes before the first one's time limit.
    const second = run.run({ keyId: 'key-2', deadlineAt: Date.now() + 150 });
    expect(run.gate.report()).toMatchObject([{ inFlight: 1, waiting: 1 }]);
    expect((await second).failures[0]?.status).toBe(503);
    expect((await second).failures[0]?.message).toContain("0 of 1 places are your key's, whose share is 1");
    expect(broken.visits).toHaveLength(1);
    first.cancel('caller_left');
    await handled;
  });

  it.each(['draining', 'closed'] as const)(
    'what an operator holds (%s) gets nothing, and others get it',
    async (state) => {
      const run = runWith(healthy, broken);
      broken.script = goodChat();
      run.hold('acme/one@acme', { state });
      for (const { event } of await times(run, 6)) expect(event.attempts).toMatchObject([{ provider: 'spare1' }]);
      expect(healthy.visits).toHaveLength(0);
      run.hold('acme/one@acme', null);
      expect((await run.run()).event.model).toBe('acme/one');
    },
  );

  it('says so when an operator holds the only place, and when to come back where that is known', async () => {
    const run = runWith(healthy);
    run.hold('acme/one@acme', { until: Date.now() + 600_000 });
    const { failures, events, attempts } = await run.run();
    expect(failures).toMatchObject([{ code: 'upstream', status: 503, retryAfterS: expect.any(Number) }]);
    expect(failures[0]?.message).toContain('taken the places of acme/one out of service');
    expect(failures[0]?.retryAfterS).toBeGreaterThan(500);
    expect([events, attempts]).toEqual([[null], []]);
    run.hold('acme/one@acme', {});
    expect((await run.run()).failures).toMatchObject([{ retryAfterS: 60 }]);
    expect(run.gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0, held: { state: 'closed' } }]);
  });

  it('lets what runs at a draining deployment end, and ends it at a closed one, which is no fault of the provider', async () => {
    const run = runWith(broken, healthy);
    broken.script = silence;
    const waiting = Array.from({ length: 6 }, () => run.run());
    await broken.visited(6);
    run.hold('acme/one@acme', { state: 'draining' });
    expect(run.gate.report()).toMatchObject([{ inFlight: 6, held: { state: 'draining' } }]);
    run.hold('acme/one@acme', { state: 'closed' });
    const ended = await Promise.all(waiting);
    const told = { provider: 'acme', error: 'closed_by_operator' };
    for (const { event } of ended) expect(event.attempts).toMatchObject([told, { provider: 'spare1', error: null }]);
    expect(run.gate.report()[0]).toMatchObject({ state: 'closed', timesOpened: 0, inFlight: 0 });
  });

  it('fails a stream visibly that an operator ended after it had begun, and charges what was produced', async () => {
    broken.script = async (visit) => {
      beginStream(visit);
      visit.response.write(chatChunk({ content: 'one' }));
      await silence(visit);
    };
    const run = runWith(broken, healthy);
    const call = new RecordedCall(aRequest({ stream: true }));
    const handled = run.handle(call);
    await new Promise<void>((resolve) => (call.onWrite = () => resolve()));
    run.hold('acme/one@acme', { state: 'closed' });
    await handled;
    expect(call.failures).toMatchObject([{ code: 'upstream', status: 503 }]);
    expect(call.event).toMatchObject({ state: 'failed', estimated: true, model: 'acme/one' });
    expect(call.event.usage.output).toBeGreaterThan(0);
  });
});
