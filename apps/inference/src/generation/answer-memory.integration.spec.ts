import { FairMemory } from '@tollgate/messaging';
import { answerJson, eventually, goodChat, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { aBody, aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

/** `ANSWER_MIB=60` prints the peak of eight such answers, `ANSWERS_AT_ONCE=8` that without a bound. */
const answerMib = Number(process.env['ANSWER_MIB'] ?? 4);
const answerBytes = answerMib * 1_048_576;
const answers = 8;
const atOnce = Number(process.env['ANSWERS_AT_ONCE'] ?? 2);

/** A call whose caller takes everything at once, and keeps nothing. */
class FastReader extends RecordedCall {
  override write(bytes: Uint8Array): boolean {
    this.bytesWritten += bytes.length;
    return true;
  }
}

describe('the memory of answers', () => {
  const message = { role: 'assistant', content: 'x'.repeat(answerBytes) };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const whole = JSON.stringify({ id: 'c', object: 'chat.completion', choices: [{ index: 0, message }], usage });
  let upstream: ScriptedUpstream;
  const runs: ScriptedRun[] = [];
  const announced = { 'content-length': String(Buffer.byteLength(whole)) };
  beforeAll(async () => {
    upstream = await startScriptedUpstream((visit) => answerJson(visit, 200, whole, announced));
  });
  afterEach(async () => {
    await Promise.all(runs.splice(0).map(({ pools }) => pools.close()));
  });
  afterAll(() => upstream.stop());

  function runWith(memory: FairMemory, maxAnswerBytes = answerBytes + 1_048_576): ScriptedRun {
    const run = new ScriptedRun([`${upstream.url}/v1`], { memory, maxAnswerBytes, timeouts: { totalMs: 120_000 } });
    runs.push(run);
    return run;
  }

  const callOf = (key: string) =>
    new FastReader(aRequest({ keyId: key, deadlineAt: Date.now() + 120_000 }), aBody(false));

  it('is one bound for all of them: the rest is not read until there is room, and small ones do not wait', async () => {
    const memory = new FairMemory(answerBytes * 4 * atOnce * 2);
    const run = runWith(memory);
    let most = 0;
    let peak = 0;
    const looking = setInterval(() => {
      most = Math.max(most, memory.usedBytes);
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 2);
    const calls = Array.from({ length: answers }, (_, index) => callOf(`key-${index}`));
    const handled = calls.map((call) => run.handle(call));
    await upstream.visited(answers);
    await Promise.all(handled);
    clearInterval(looking);
    if (process.env['ANSWER_MIB']) process.stdout.write(`peak of ${answers} x ${answerMib} MiB: ${peak >> 20} MiB\n`);
    for (const call of calls) expect([call.failures, call.bytesWritten > answerBytes]).toEqual([[], true]);
    // Large ones take half.
    expect(most).toBeLessThanOrEqual((answerBytes + 1_024) * 4 * atOnce);
    expect(most).toBeGreaterThan(answerBytes * 4);
    expect(memory.usedBytes).toBe(0);
  });

  it('refuses an answer that finds no room in time, without another attempt, and serves small ones beside it', async () => {
    const memory = new FairMemory(answerBytes * 4, 100);
    const held = await memory.admit(
      { keyId: 'somebody', accountId: 'somebody' },
      answerBytes * 4,
      new AbortController().signal,
    );
    const run = runWith(memory);
    const call = await run.handle(callOf('key-1'));
    expect(call.failures).toMatchObject([{ code: 'overloaded', status: 503, retryAfterS: 5 }]);
    expect(call.failures[0]?.message).toContain('as many large answers as it can');
    expect(call.event).toMatchObject({ state: 'failed', attempts: [{ error: 'crowded-out' }], usage: { output: 0 } });
    expect(run.gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0 }]);
    const before = upstream.script;
    upstream.script = goodChat();
    expect((await run.run({ keyId: 'key-1' })).event.state).toBe('completed');
    upstream.script = before;
    held.release();
    expect((await run.handle(callOf('key-1'))).event.state).toBe('completed');
    expect(memory.usedBytes).toBe(0);
  });

  it('is given back when the caller leaves, also one that waits', async () => {
    const memory = new FairMemory(answerBytes * 4, 60_000);
    const held = await memory.admit(
      { keyId: 'somebody', accountId: 'somebody' },
      answerBytes * 4,
      new AbortController().signal,
    );
    const run = runWith(memory);
    const asked = jest.spyOn(memory, 'admit');
    const call = callOf('key-1');
    const handled = run.handle(call);
    await eventually(() => asked.mock.calls.length === 1);
    call.cancel('caller_left');
    await handled;
    await expect(asked.mock.results[0]?.value).rejects.toBeDefined();
    held.release();
    expect(memory.usedBytes).toBe(0);
  });

  it('is only what is left of a stream that is gathered, of which each token comes with hundreds of bytes', async () => {
    const memory = new FairMemory(256 * 1_048_576);
    const admit = jest.spyOn(memory, 'admit');
    const run = new ScriptedRun([`${upstream.url}/v1`], { memory, provider: { quirks: { mostUnstreamed: 4_096 } } });
    runs.push(run);
    const before = upstream.script;
    const chunk = (more: object) => `data: ${JSON.stringify({ id: 'c'.repeat(300), ...more })}\n\n`;
    const token = chunk({ choices: [{ index: 0, delta: { content: 'one ' } }] });
    const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
    const stream = `${token.repeat(8_000)}${end}data: [DONE]\n\n`;
    expect(stream.length).toBeGreaterThan(2 * 1_048_576);
    upstream.script = (visit) => answerJson(visit, 200, stream);
    const call = await run.handle(new RecordedCall(aRequest(), aBody(false)));
    upstream.script = before;
    expect(call.event.state).toBe('completed');
    expect(JSON.parse(call.text)).toMatchObject({ choices: [{ message: { content: 'one '.repeat(8_000) } }] });
    expect(admit).not.toHaveBeenCalled();
  });

  it('is taken in steps by an answer of no announced length, and given back to its size while a slow caller takes it', async () => {
    const mebibyte = 1_048_576;
    const memory = new FairMemory(256 * mebibyte);
    const run = runWith(memory, 64 * mebibyte);
    const before = upstream.script;
    let mayEnd: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (mayEnd = resolve));
    const content = 'x'.repeat(9 * mebibyte);
    const large = JSON.stringify({ ...JSON.parse(whole), choices: [{ index: 0, message: { ...message, content } }] });
    upstream.script = async (visit) => {
      visit.response.writeHead(200, { 'content-type': 'application/json' });
      visit.response.write(large.slice(0, 2 * mebibyte));
      await end;
      visit.response.end(large.slice(2 * mebibyte));
    };
    const slow = [1, 2].map((index) => new RecordedCall(aRequest({ keyId: `slow-${index}` }), aBody(false)));
    for (const call of slow) call.windowBytes = 1;
    const handled = slow.map((call) => run.handle(call));
    await eventually(() => memory.usedBytes === 2 * 8 * mebibyte * 4);
    mayEnd();
    await eventually(() => slow.every(({ bytesWritten }) => bytesWritten === large.length));
    expect(memory.usedBytes).toBe(2 * large.length * 3);
    upstream.script = before;
    expect((await run.handle(callOf('other'))).event.state).toBe('completed');
    for (const call of slow) call.grant(large.length);
    await Promise.all(handled);
    await eventually(() => memory.usedBytes === 0);
  });
});
