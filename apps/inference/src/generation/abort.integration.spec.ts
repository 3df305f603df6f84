import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CancelReason } from '@tollgate/contracts/inference';
import {
  answerJson,
  beginStream,
  chatChunk,
  chatCompletion,
  chatEnding,
  chatWords,
  eventually,
  silence,
  startScriptedUpstream,
  streamWords,
  type ScriptedUpstream,
  type UpstreamVisit,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';
import { UpstreamPools } from '../upstream/upstream-pools';

/** A stream that stays open after `words`. */
async function openStream(visit: UpstreamVisit, words: readonly string[]): Promise<void> {
  beginStream(visit);
  await streamWords(visit, words, 5);
}

describe('a call that is stopped', () => {
  let upstream: ScriptedUpstream;
  let run: ScriptedRun;

  beforeEach(async () => {
    upstream = await startScriptedUpstream(() => undefined);
    run = new ScriptedRun([`${upstream.url}/v1`]);
  });

  afterEach(async () => {
    await run.pools.close();
    await upstream.stop();
  });

  /** Runs a call, cancels it when a piece of it holds `text`, and sees the upstream closed. */
  async function cancelAt(call: RecordedCall, text: string): Promise<void> {
    call.onWrite = (piece) => {
      if (piece.includes(text)) call.cancel('caller_left');
    };
    await run.handle(call);
    const visit = await upstream.visited(1);
    await visit.closed;
  }

  it.each([
    ['first', 1],
    ['tenth', 10],
    ['last', chatWords.length],
  ])('closes the upstream at the %s chunk, and bills what arrived', async (_name, chunks) => {
    upstream.script = (visit) => openStream(visit, chatWords);
    const call = new RecordedCall(aRequest({ stream: true }));
    const lastWord = `word${chunks - 1}"`;
    await cancelAt(call, lastWord);
    expect(call.failures).toMatchObject([{ code: 'cancelled' }]);
    expect(call.event).toMatchObject({ state: 'cancelled', status: 200, estimated: true });
    // Each word is two tokens: " word" and its number.
    expect(call.event.usage.output).toBe(chunks * 2);
    expect(call.event.usage.input).toBeGreaterThan(0);
    expect(call.event.firstTokenAt).not.toBeNull();
  });

  it('closes an upstream that goes on far beyond the limit of its answer, and bills what was delivered', async () => {
    upstream.script = async (visit) => {
      let isOpen = true;
      void visit.closed.then(() => (isOpen = false));
      beginStream(visit);
      for (; isOpen; await nextTurn()) visit.response.write(chatChunk({ content: ' river'.repeat(40) }));
    };
    const call = new RecordedCall(aRequest({ stream: true, maxOutputTokens: 20 }));
    await run.handle(call);
    await (
      await upstream.visited(1)
    ).closed;
    expect(call.ends).toBe(1);
    expect(call.text).toMatch(/"finish_reason":"length"\}\]\}\n\ndata: \[DONE\]\n\n$/);
    expect(call.event).toMatchObject({ state: 'completed', status: 200, estimated: true });
    // Eight for each of the limit and 1,024 beside them, and what came in the same piece.
    const words = call.text.split(' river').length - 1;
    expect(call.event.usage.output).toBe(words);
    expect(words).toBeGreaterThan(1_184);
    expect(words).toBeLessThan(3_000);
    expect(run.logs.join('\n')).toContain('far beyond the limit');
  });

  it('opens no other connection in the place of the one that it closes', async () => {
    upstream.script = (visit) => openStream(visit, chatWords);
    await cancelAt(new RecordedCall(aRequest({ stream: true })), 'word0"');
    upstream.script = (visit) => answerJson(visit, 200, '{}');
    // Connections are accepted in the order in which they were opened.
    await fetch(upstream.url, { method: 'POST' });
    expect(upstream.connections).toBe(2);
  });

  it('leaves its place to who waits for a connection', async () => {
    upstream.script = (visit) =>
      visit.number === 0 ? openStream(visit, chatWords) : answerJson(visit, 200, chatCompletion());
    const one = new UpstreamPools(1);
    run = new ScriptedRun([`${upstream.url}/v1`], { upstream: one });
    const first = new RecordedCall(aRequest({ stream: true }));
    const handled = run.handle(first);
    await upstream.visited(1);
    const second = run.run();
    first.cancel('caller_left');
    expect((await second).event.state).toBe('completed');
    await handled;
    expect(upstream.connections).toBe(2);
    await one.close();
  });

  it('closes the upstream while it waits for an answer that is no stream', async () => {
    upstream.script = silence;
    const call = new RecordedCall(aRequest());
    const handled = run.handle(call);
    const visit = await upstream.visited(1);
    call.cancel('caller_left');
    await visit.closed;
    await handled;
    expect(call.event).toMatchObject({ state: 'cancelled', status: 499, firstTokenAt: null, estimated: true });
    expect(call.event.usage).toMatchObject({ output: 0 });
    expect(call.event.usage.input).toBeGreaterThan(0);
    expect(call.event.attempts).toMatchObject([{ status: null, error: 'stopped' }]);
  });

  it.each<[CancelReason, boolean]>([
    ['key_revoked', true],
    ['edge_lost', false],
    ['disconnected', false],
  ])('is paid for when its reason is %s: %s', async (reason, isPaid) => {
    upstream.script = silence;
    const call = new RecordedCall(aRequest());
    const handled = run.handle(call);
    await upstream.visited(1);
    call.cancel(reason);
    await handled;
    expect(call.event.usage.input > 0).toBe(isPaid);
    expect(call.event.attempts[0]?.unbilled !== undefined).toBe(!isPaid);
  });

  it('ends at once in the wait before a retry, with no tokens', async () => {
    upstream.script = (visit) => answerJson(visit, 429, '{}', { 'retry-after': '2' });
    const call = new RecordedCall(aRequest());
    const handled = run.handle(call);
    await eventually(() => run.logs.some((line) => line.includes('answered 429')));
    call.cancel('caller_left');
    await handled;
    expect(upstream.visits).toHaveLength(1);
    expect(call.event).toMatchObject({ state: 'cancelled', status: 499, usage: { input: 0, output: 0 } });
  });

  it('asks no provider and counts nothing when it was stopped before it began', async () => {
    const call = new RecordedCall(aRequest());
    call.cancel('caller_left');
    await run.handle(call);
    expect(call.events).toEqual([null]);
    expect(upstream.visits).toHaveLength(0);
  });

  it.each<[CancelReason, string, string]>([
    ['deadline', 'failed', 'timeout'],
    ['failed', 'failed', 'internal'],
    ['key_revoked', 'cancelled', 'cancelled'],
    ['edge_lost', 'cancelled', 'cancelled'],
    ['slow_reader', 'cancelled', 'slow_reader'],
  ])('tells a stop for %s as %s', async (reason, state, code) => {
    upstream.script = silence;
    const call = new RecordedCall(aRequest());
    const handled = run.handle(call);
    await upstream.visited(1);
    call.cancel(reason);
    await handled;
    expect(call.event.state).toBe(state);
    expect(call.failures).toMatchObject([{ code }]);
  });

  it('leaves a connection open that finished its answer, and uses it again', async () => {
    upstream.script = async (visit) => {
      await openStream(visit, chatWords);
      visit.response.end(chatEnding());
    };
    // The second waits until the first has given its connection back.
    const one = new UpstreamPools(1);
    run = new ScriptedRun([`${upstream.url}/v1`], { upstream: one });
    await run.run({ stream: true });
    expect((await run.run({ stream: true })).event.state).toBe('completed');
    expect(upstream.connections).toBe(1);
    await one.close();
  });

  it('drops a provider that does not close after its answer, without delaying the end', async () => {
    upstream.script = async (visit) => {
      await openStream(visit, chatWords);
      visit.response.write(chatEnding());
    };
    const call = await run.run({ stream: true });
    expect(call.event.state).toBe('completed');
    const visit = await upstream.visited(1);
    await visit.closed;
  });
});
