import {
  answerJson,
  beginStream,
  chatCompletion,
  chatUsage,
  chatWords,
  eventually,
  goodChat,
  silence,
  startScriptedUpstream,
  streamWords,
  type ScriptedUpstream,
} from '@tollgate/testing';
import { FairMemory } from '@tollgate/messaging';
import { setTimeout as sleep } from 'node:timers/promises';
import { aRequest } from '../testing/fixtures';
import type { aProvider } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';
import { UpstreamPools, type Upstream } from '../upstream/upstream-pools';

const mebibyte = 1_048_576;

describe('a model with a second request for slow answers', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let run: ScriptedRun;

  beforeEach(async () => {
    first = await startScriptedUpstream(silence);
    second = await startScriptedUpstream(goodChat());
    run = hedgedAfter(100);
  });

  afterEach(async () => {
    await run.pools.close();
    await first.stop();
    await second.stop();
  });

  function hedgedAfter(hedgeAfterMs: number, provider: Parameters<typeof aProvider>[0] = {}): ScriptedRun {
    return new ScriptedRun([`${first.url}/v1`, `${second.url}/v1`], { model: { hedgeAfterMs }, provider });
  }

  it.each([true, false])('answers from the second place while the first is silent (stream: %s)', async (stream) => {
    const call = await run.run({ stream });
    expect(call).toMatchObject({ ends: 1, failures: [] });
    expect(call.heads).toMatchObject([{ headers: { 'x-gateway-provider': 'spare1', 'x-gateway-attempts': '2' } }]);
    for (const word of chatWords) expect(call.text).toContain(word);
    expect(call.event).toMatchObject({
      state: 'completed',
      model: 'spare1/one',
      estimated: false,
      usage: { input: 7, output: 24 },
      attempts: [
        { provider: 'acme', status: null, error: 'outrun', unbilled: { input: 7, output: 0, estimated: true } },
        { provider: 'spare1', status: 200, error: null },
      ],
    });
    const visit = await first.visited(1);
    await visit.closed;
    expect(run.gate.report()).toMatchObject([{ state: 'closed' }, { state: 'closed' }]);
  });

  it('tells what the provider of the loser may charge, as it told it, and bills the winner alone', async () => {
    first.script = async (visit) => {
      beginStream(visit);
      visit.response.write(`data: ${JSON.stringify({ choices: [], usage: { ...chatUsage, prompt_tokens: 20 } })}\n\n`);
      await silence(visit);
    };
    const { event } = await run.run({ stream: true });
    expect(event).toMatchObject({ model: 'spare1/one', estimated: false, usage: { input: 7, output: 24 } });
    expect(event.attempts.map(({ error, unbilled }) => [error, unbilled])).toEqual([
      ['outrun', { input: 20, output: 24, estimated: true }],
      [null, undefined],
    ]);
  });

  it.each([
    ['without a place after it', 1, 600_000],
    ['with one', 2, 60_000],
  ])('lets the second place %s be silent for as long as any such stream', async (_which, spares, idleMs) => {
    const pools = new UpstreamPools(10);
    const limits: number[] = [];
    const upstream: Upstream = {
      send: (send, listener) => {
        limits.push(send.timeouts.idleMs);
        return pools.send(send, listener);
      },
    };
    const places = [first, ...Array.from({ length: spares }, () => second)].map(({ url }) => `${url}/v1`);
    const provider = { timeouts: { connectMs: 30_000, firstByteMs: 30_000 } };
    run = new ScriptedRun(places, { model: { hedgeAfterMs: 100 }, provider, upstream });
    const call = await run.run({ stream: true });
    await pools.close();
    expect([call.event.model, limits]).toEqual(['spare1/one', [60_000, idleMs]]);
  });

  it('asks nobody else while the first place is fast enough', async () => {
    first.script = goodChat();
    run = hedgedAfter(500);
    const ask = async () => {
      second.visits.length = 0;
      const call = await run.run();
      await sleep(600);
      return call;
    };
    // A machine that stands still for half a second makes it too slow.
    const call = await eventually(ask, () => second.visits.length === 0);
    expect(call.event).toMatchObject({ model: 'acme/one', attempts: [{ error: null }] });
  });

  it('lets the first place win when it answers first after all, and ends the second', async () => {
    first.script = async (visit) => {
      await second.visited(1);
      answerJson(visit, 200, chatCompletion('from the first'));
    };
    second.script = silence;
    const call = await run.run();
    expect(call.text).toContain('from the first');
    expect(call.event).toMatchObject({
      model: 'acme/one',
      attempts: [
        { provider: 'spare1', error: 'outrun' },
        { provider: 'acme', error: null },
      ],
    });
    const visit = await second.visited(1);
    expect(await visit.closed).toBeGreaterThan(0);
  });

  it('never mixes two answers', async () => {
    const slowly = (word: string) => async (visit: Parameters<typeof beginStream>[0]) => {
      beginStream(visit);
      await sleep(word === 'a' ? 130 : 30);
      await streamWords(
        visit,
        Array.from({ length: 40 }, () => word),
        1,
      );
      visit.response.end('data: [DONE]\n\n');
    };
    for (let round = 0; round < 10; round += 1) {
      first.script = slowly('a');
      second.script = slowly('b');
      const { text } = await run.run({ stream: true });
      expect(text.includes('"content":"a"') && text.includes('"content":"b"')).toBe(false);
    }
  });

  it('goes on with the other when one fails before it has content', async () => {
    first.script = async (visit) => {
      await second.visited(1);
      answerJson(visit, 500, '{}');
    };
    second.script = async (visit) => {
      await eventually(() => run.logs.some((line) => line.includes('answered 500')));
      await goodChat()(visit);
    };
    const call = await run.run();
    expect(call.event).toMatchObject({
      state: 'completed',
      attempts: [
        { provider: 'acme', error: 'http_500' },
        { provider: 'spare1', error: null },
      ],
    });
  });

  it.each([
    ['the first', 'first', 'spare1'],
    ['the second', 'second', 'acme'],
  ])('goes on with the other when the answer of %s finds no memory', async (_which, large, small) => {
    const memory = new FairMemory(64 * mebibyte, 50);
    const held = await memory.admit(
      { keyId: 'somebody', accountId: 'somebody' },
      64 * mebibyte,
      new AbortController().signal,
    );
    const [crowded, other] = large === 'first' ? [first, second] : [second, first];
    // Refused 50 ms after it came, when the other was begun, and before it answers.
    crowded.script = async (visit) => {
      await other.visited(1);
      answerJson(visit, 200, chatCompletion('x'.repeat(2 * mebibyte)));
    };
    other.script = async (visit) => {
      await (
        await crowded.visited(1)
      ).closed;
      answerJson(visit, 200, chatCompletion('the other'));
    };
    run = new ScriptedRun([`${first.url}/v1`, `${second.url}/v1`], {
      ...{ model: { hedgeAfterMs: 100 }, memory, maxAnswerBytes: 4 * mebibyte },
    });
    const call = await run.run();
    held.release();
    expect(call.text).toContain('the other');
    expect(call.event).toMatchObject({
      state: 'completed',
      attempts: [{ error: 'crowded-out' }, { provider: small, error: null }],
    });
  });

  it('fails with both in the record when both fail', async () => {
    second.script = silence;
    run = hedgedAfter(100, { timeouts: { firstByteMs: 400 } });
    const call = await run.run();
    expect(call.failures).toMatchObject([{ code: 'timeout', status: 504 }]);
    expect(call.event.attempts).toMatchObject([
      { provider: 'acme', error: 'first_byte_timeout' },
      { provider: 'spare1', error: 'first_byte_timeout' },
    ]);
  });

  it('ends both when the caller leaves, and bills one at most', async () => {
    second.script = silence;
    const call = new RecordedCall(aRequest());
    const handled = run.handle(call);
    await second.visited(1);
    call.cancel('caller_left');
    await handled;
    expect(call.event).toMatchObject({
      state: 'cancelled',
      model: 'spare1/one',
      attempts: [{ error: 'stopped', unbilled: { output: 0, estimated: true } }, { error: 'stopped' }],
    });
    const { attempts, usage } = call.event;
    expect(attempts.map(({ unbilled }) => unbilled?.input)).toEqual([usage.input, undefined]);
    await Promise.all([(await first.visited(1)).closed, (await second.visited(1)).closed]);
  });
});
