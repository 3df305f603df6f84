import { byInstant, noUsage } from '@tollgate/contracts';
import { foldedText } from '@tollgate/dialects';
import { chatChunk, chatEnding, chatUsage, eventually } from '@tollgate/testing';
import type { UpstreamExchange, UpstreamListener } from '../upstream/upstream-exchange';
import type { Upstream, UpstreamSend } from '../upstream/upstream-pools';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';
import { ReadTurns } from '@tollgate/messaging';

/** An upstream without a network: `play` says what is told to the listener of each request. */
class FakeUpstream implements Upstream {
  readonly sent: UpstreamSend[] = [];
  aborted = 0;

  constructor(private readonly play: (listener: UpstreamListener, exchange: UpstreamExchange) => void) {}

  send(send: UpstreamSend, listener: UpstreamListener): UpstreamExchange {
    this.sent.push(send);
    const exchange: UpstreamExchange = {
      requestSent: true,
      pause: () => undefined,
      resume: () => undefined,
      letGo: () => undefined,
      abort: () => (this.aborted += 1),
    };
    setImmediate(() => this.play(listener, exchange));
    return exchange;
  }
}

const eventStream = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const answer = Buffer.from(
  '{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],' +
    '"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}',
);

function answersWell(listener: UpstreamListener): void {
  listener.onHead(200, json);
  listener.onBytes(answer.subarray(0, 20));
  listener.onBytes(answer.subarray(20));
  listener.onEnd();
}

function runOver(upstream: Upstream): ScriptedRun {
  return new ScriptedRun(['http://acme.test/v1'], { upstream });
}

describe('one generation', () => {
  it('carries what the contract for its deployment makes of the price, also to edge before it asks', async () => {
    const deployments = [{ id: 'house', provider: 'acme', upstreamModel: 'one', discount: '0.1' }];
    const run = new ScriptedRun(['http://acme.test/v1'], {
      upstream: new FakeUpstream(answersWell),
      model: { deployments },
    });
    const call = await run.run();
    expect(call.event.usage).toMatchObject({ input: 3, output: 1, served: { discount: '0.1' } });
    expect(call.attempts).toMatchObject([{ deployment: 'house', factors: { discount: '0.1' } }]);
  });

  it.each([
    ['a millisecond before another one begins', 1, { discount: '0.1' }],
    ['as it begins', 0, { markup: '0.25' }],
    ['after it ended', -1, undefined],
  ])('carries the discount and the markup that were set for its start: %s', async (_when, later, factors) => {
    const { startedAt } = aRequest();
    const begins = [
      { from: startedAt - 9, discount: '0.1' },
      { from: startedAt + later, markup: '0.25' },
    ];
    const set = later < 0 ? [...begins, { from: startedAt }] : begins;
    const place = { id: 'house', provider: 'acme', upstreamModel: 'one', discount: byInstant, factors: set } as const;
    const upstream = new FakeUpstream(answersWell);
    const run = new ScriptedRun(['http://acme.test/v1'], { upstream, model: { deployments: [place] } });
    const call = await run.run({ startedAt });
    expect(call.attempts.map((attempt) => attempt.factors)).toEqual([factors]);
    const { discount, markup } = call.event.usage.served ?? {};
    expect({ discount, markup }).toEqual({ discount: undefined, markup: undefined, ...factors });
  });

  it('passes a good answer on byte by byte and reports it once', async () => {
    const call = await runOver(new FakeUpstream(answersWell)).run();
    expect(call.text).toBe(answer.toString());
    expect(call).toMatchObject({ ends: 1, failures: [] });
    expect(call.event).toMatchObject({
      id: 'event-1',
      requestId: 'request-1',
      keyId: 'key-1',
      accountId: 'account-1',
      requestedModel: 'one',
      model: 'acme/one',
      surface: 'openai-chat',
      stream: false,
      state: 'completed',
      status: 200,
      estimated: false,
      usage: { input: 3, output: 1 },
      attempts: [{ deployment: 'acme/one@acme', provider: 'acme', status: 200, error: null }],
      lease: 'lease-1',
      reportedBy: 'inference',
    });
  });

  it('tells edge of an attempt before the provider is reached', async () => {
    const call = new RecordedCall();
    const attemptsWhenSent: number[] = [];
    const upstream = new FakeUpstream(answersWell);
    const watched: Upstream = {
      send: (send, listener) => {
        attemptsWhenSent.push(call.attempts.length);
        return upstream.send(send, listener);
      },
    };
    await runOver(watched).handle(call);
    expect(attemptsWhenSent).toEqual([1]);
    expect(call.attempts).toEqual([{ number: 1, model: 'acme/one', provider: 'acme', deployment: 'acme/one@acme' }]);
  });

  it('lets the announcement leave before it reaches the provider: a kill in between must not hide a use', async () => {
    const upstream = new FakeUpstream(answersWell);
    const call = new RecordedCall();
    const handled = runOver(upstream).handle(call);
    await Promise.resolve();
    expect(call.attempts).toHaveLength(1);
    expect(upstream.sent).toHaveLength(0);
    await handled;
    expect(upstream.sent).toHaveLength(1);
  });

  it('reaches no provider when it is stopped in the turn of the announcement, and says so', async () => {
    const upstream = new FakeUpstream(answersWell);
    const call = new RecordedCall();
    const handled = runOver(upstream).handle(call);
    call.cancel('caller_left');
    await handled;
    expect(upstream.sent).toHaveLength(0);
    expect(call.event).toMatchObject({ state: 'cancelled', status: 499, usage: { input: 0, output: 0 } });
  });

  it('reaches no provider, and keeps no place, when it is stopped in the turn in which it got one', async () => {
    const upstream = new FakeUpstream(answersWell);
    const deployments = [{ id: 'acme/one@acme', provider: 'acme', upstreamModel: 'one', maxConcurrent: 1 }];
    const run = new ScriptedRun(['http://acme.test/v1'], { upstream, model: { deployments } });
    const call = new RecordedCall();
    const admitInTurn = run.gate.admitInTurn.bind(run.gate);
    jest.spyOn(run.gate, 'admitInTurn').mockImplementation(async (...asked) => {
      const pass = await admitInTurn(...asked);
      call.cancel('caller_left');
      return pass;
    });
    await Promise.all([run.run(), run.handle(call)]);
    await eventually(() => call.failures.length > 0 && run.gate.report().every(({ inFlight }) => inFlight === 0));
    expect(upstream.sent).toHaveLength(1);
    expect(call.failures).toMatchObject([{ code: 'cancelled', status: 499 }]);
    expect(run.gate.report()).toMatchObject([{ inFlight: 0, waiting: 0 }]);
  });

  it('is stopped in a turn of the event loop that has room for that, where many callers leave at once', async () => {
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(200, eventStream);
      listener.onBytes(Buffer.from(chatChunk({ content: 'Well' })));
    });
    const run = runOver(upstream);
    const calls = Array.from({ length: 100 }, () => new RecordedCall(aRequest({ stream: true })));
    const handled = Promise.all(calls.map((call) => run.handle(call)));
    await eventually(() => calls.every(({ bytesWritten }) => bytesWritten > 0));
    for (const call of calls) call.cancel('caller_left');
    const perTurn = [upstream.aborted];
    for (let before = upstream.aborted; before < calls.length; before = upstream.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(upstream.aborted - before);
    }
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(8);
    await handled;
    for (const { event } of calls) expect(event).toMatchObject({ state: 'cancelled', status: 200 });
  });

  it('is counted in parts, each in a turn of the event loop, where much had come when its caller left', async () => {
    const turn = jest.spyOn(ReadTurns.prototype, 'turn');
    const chunk = Buffer.from(chatChunk({ content: 'qxzv '.repeat(2_000) }));
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(200, eventStream);
      for (let count = 0; count < 12; count++) listener.onBytes(chunk);
    });
    const call = new RecordedCall(aRequest({ stream: true }));
    const handled = runOver(upstream).handle(call);
    await eventually(() => call.bytesWritten >= 12 * chunk.length);
    call.cancel('caller_left');
    await handled;
    const parts = turn.mock.calls.filter(([, bytes]) => bytes === foldedText).length;
    turn.mockRestore();
    expect(parts).toBeGreaterThanOrEqual(Math.floor((12 * 10_000) / foldedText));
    expect(call.event?.usage.output).toBeGreaterThan(12 * 2_000);
  });

  it('is one whose caller left, where its answer ends before it is stopped', async () => {
    let end: () => void = () => undefined;
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(200, eventStream);
      listener.onBytes(Buffer.from(chatChunk({ content: 'Well' })));
      end = () => listener.onBytes(Buffer.from(chatEnding()));
    });
    const call = new RecordedCall(aRequest({ stream: true }));
    const handled = runOver(upstream).handle(call);
    await eventually(() => call.bytesWritten > 0);
    call.cancel('caller_left');
    end();
    await handled;
    expect(call).toMatchObject({ ends: 0, failures: [{ code: 'cancelled' }] });
    expect(call.event).toMatchObject({ state: 'cancelled', usage: { output: chatUsage.completion_tokens } });
  });

  it('gives an attempt no more time than the request has left', async () => {
    const upstream = new FakeUpstream(answersWell);
    await runOver(upstream).run({ deadlineAt: Date.now() + 5_000 });
    expect(upstream.sent[0]?.totalMs).toBeLessThanOrEqual(5_000);
  });

  it('asks nobody after its deadline, and counts nothing', async () => {
    const upstream = new FakeUpstream(answersWell);
    const call = await runOver(upstream).run({ deadlineAt: Date.now() - 1 });
    expect(upstream.sent).toHaveLength(0);
    expect(call.events).toEqual([null]);
    expect(call.failures).toMatchObject([{ code: 'timeout', status: 504 }]);
  });

  it('is told to come back when no provider of its model is reachable here', async () => {
    const call = await runOver(new FakeUpstream(answersWell)).run({ model: 'nobody/nothing' });
    expect(call.events).toEqual([null]);
    expect(call.failures).toMatchObject([{ code: 'overloaded', status: 503, retryAfterS: 5 }]);
  });

  it('ends as internal, with its event and without details for the caller, when something of ours throws', async () => {
    const broken: Upstream = {
      send: () => {
        throw new Error('a detail');
      },
    };
    const run = runOver(broken);
    const call = await run.run();
    expect(call.failures).toMatchObject([{ code: 'internal', status: 500 }]);
    expect(JSON.stringify(call.failures)).not.toContain('a detail');
    expect(call.event).toMatchObject({ state: 'failed', status: 500, attempts: [{ error: 'internal' }] });
    expect(run.logs.join('')).toContain('a detail');
  });

  it('ends as internal when the way to the caller throws, and closes the upstream', async () => {
    const upstream = new FakeUpstream(answersWell);
    const call = new RecordedCall(aRequest());
    call.onWrite = () => {
      throw new Error('broken pipe');
    };
    await runOver(upstream).handle(call);
    expect(call.event).toMatchObject({ state: 'failed', status: 200 });
    expect(upstream.aborted).toBeGreaterThan(0);
  });

  describe('whose attempts were not all of use', () => {
    const places = ['acme', 'spare1', 'spare2', 'spare3'].map((name) => `http://${name}.test/v1`);
    const lost = (listener: UpstreamListener) => listener.onFault({ code: 'connection_lost', detail: 'ECONNRESET' });
    const refused = (listener: UpstreamListener) => {
      listener.onHead(503, json);
      listener.onEnd();
    };
    const streamed = (text: string) => (listener: UpstreamListener) => {
      listener.onHead(200, eventStream);
      listener.onBytes(Buffer.from(text));
      listener.onEnd();
    };
    const empty = streamed(`data: ${JSON.stringify({ choices: [], usage: chatUsage })}\n\n`);
    const good = streamed(chatChunk({ content: 'hi' }) + chatEnding());
    /** What each attempt cost the operator alone. */
    async function unbilledOf(plays: ((listener: UpstreamListener) => void)[], words = 1) {
      const upstream = new FakeUpstream((listener) => plays.shift()?.(listener));
      const run = new ScriptedRun(places, { upstream, retries: 0 });
      const turns = jest.spyOn(ReadTurns.prototype, 'turn');
      const messages = [{ role: 'user', content: 'one '.repeat(words) }];
      const body = Buffer.from(JSON.stringify({ model: 'acme/one', stream: true, messages }));
      const { event } = await run.handle(new RecordedCall(aRequest({ stream: true }), body));
      const waited = turns.mock.calls.length;
      turns.mockRestore();
      return { event, waited, unbilled: event.attempts.map(({ error, unbilled }) => [error, unbilled]) };
    }

    it('tells what their providers may charge, as they told it, else by the input of the one that answered', async () => {
      // Counted by a tokenizer it would be some thousands.
      const { event, waited, unbilled } = await unbilledOf([lost, refused, empty, good], 3_000);
      expect(event).toMatchObject({
        state: 'completed',
        estimated: false,
        model: 'spare3/one',
        usage: { input: 7, output: 24 },
      });
      expect(unbilled).toEqual([
        ['connection_lost', { input: 7, output: 0, estimated: true }],
        ['http_503', undefined],
        ['empty_answer', { input: 7, output: 24, estimated: true }],
        [null, undefined],
      ]);
      expect(waited).toBe(0);
    });

    it.each([
      ['told none', [lost, lost, lost, lost], 'connection_lost'],
      ['refused the request', [lost, lost, lost, refused], 'http_503'],
    ])('tells it by a count of the request where none answered, and the last %s', async (_, plays, last) => {
      const { event, unbilled } = await unbilledOf(plays);
      expect(event).toMatchObject({ state: 'failed', usage: noUsage });
      const input = event.attempts[0]?.unbilled?.input ?? 0;
      expect(input).toBeGreaterThan(0);
      const of = { input, output: 0, estimated: true };
      expect(unbilled.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ['connection_lost', of]));
      expect(unbilled[3]).toEqual([last, last === 'connection_lost' ? of : undefined]);
    });
  });

  it('charges a stream that was to go on, and found no place behind it, once', async () => {
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(200, eventStream);
      listener.onBytes(Buffer.from(chatChunk({ content: ' one two three' })));
      listener.onEnd();
    });
    const { event } = await runOver(upstream).run({ stream: true, goesOn: true });
    const parts = event.usage.served?.parts ?? [];
    expect(parts).toMatchObject([{ provider: 'acme', output: 3 }]);
    expect(event).toMatchObject({ state: 'failed', model: 'acme/one', usage: { input: parts[0]?.input, output: 3 } });
    expect(event.attempts).toHaveLength(1);
  });

  it('does not take an encoding that it did not ask for', async () => {
    const upstream = new FakeUpstream((listener) => listener.onHead(200, { ...json, 'content-encoding': 'gzip' }));
    const call = await runOver(upstream).run();
    expect(call.failures).toMatchObject([{ code: 'upstream', status: 502 }]);
    expect(call.event.attempts).toMatchObject([{ error: 'content_encoding' }, { error: 'content_encoding' }]);
  });

  it('bounds what it holds of one answer', async () => {
    const block = Buffer.alloc(300 * 1024, 0x20);
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(200, json);
      for (let i = 0; i < 4; i++) listener.onBytes(block);
    });
    const call = await runOver(upstream).run();
    expect(call.event.attempts[0]).toMatchObject({ error: 'answer_too_large' });
    expect(call.failures).toMatchObject([{ code: 'upstream' }]);
    expect(upstream.aborted).toBe(2);
  });

  it('reads no more of an error than it needs', async () => {
    const endless = Buffer.alloc(64 * 1024, 0x41);
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(500, {});
      listener.onBytes(endless);
    });
    const call = await runOver(upstream).run();
    expect(call.failures).toMatchObject([
      {
        code: 'upstream',
        status: 502,
        message: expect.stringMatching(/^acme answered 500: A{1000}…$/),
        details: { status: 500 },
      },
    ]);
  });
});

describe('many generations', () => {
  it('are judged by what fails in the same words, not by the request that does so twice', async () => {
    const failed = Buffer.from('{"error":{"message":"the slot is broken"}}');
    const upstream = new FakeUpstream((listener) => {
      listener.onHead(500, json);
      listener.onBytes(failed);
      listener.onEnd();
    });
    const well = new FakeUpstream(answersWell);
    let bad = false;
    const run = runOver({ send: (send, listener) => (bad ? upstream : well).send(send, listener) });
    await run.run();
    bad = true;
    for (let count = 0; count < 8; count += 1) {
      const call = await run.run({ keyId: 'other' });
      expect(call.failures).toMatchObject([{ status: 502, message: 'acme answered 500: the slot is broken' }]);
    }
    expect(run.gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0 }]);
  });
});
