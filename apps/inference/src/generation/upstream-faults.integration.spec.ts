import { setTimeout as sleep } from 'node:timers/promises';
import { noUsage } from '@tollgate/contracts';
import type { TimeLimits } from '@tollgate/contracts/catalog';
import {
  answerJson,
  beginStream,
  chatChunk,
  chatUsage,
  chatWords,
  eventually,
  goodChat,
  silence,
  startScriptedUpstream,
  streamWords,
  type ScriptedUpstream,
  type UpstreamScript,
} from '@tollgate/testing';
import { ScriptedRun } from '../testing/scripted-run';

/**
 * A way in which a provider fails. `alone`: what the caller sees when no other provider is there (status, or
 * `completed`).
 * `begun`: the answer had begun, so that no fallback may hide the failure. `stream`: which requests can meet
 * it, both by default.
 */
interface Fault {
  name: string;
  script: UpstreamScript;
  alone: 'refused' | 'upstream' | 'busy' | 'timeout' | 'completed';
  stream?: boolean;
  begun?: boolean;
  /** The status that the caller is told, where that is not the usual one. */
  told?: number;
}

const faults: Fault[] = [
  { name: '500', script: (visit) => answerJson(visit, 500, '{"error":{"message":"boom"}}'), alone: 'upstream' },
  { name: '429 without a time', script: (visit) => answerJson(visit, 429, '{}'), alone: 'busy' },
  {
    name: '429 with a long Retry-After',
    script: (visit) => answerJson(visit, 429, '{}', { 'retry-after': '30' }),
    alone: 'busy',
  },
  { name: 'hang', script: silence, alone: 'timeout' },
  {
    name: 'slow first token',
    stream: true,
    alone: 'timeout',
    script: async (visit) => {
      beginStream(visit);
      await silence(visit);
    },
  },
  {
    name: 'reset before the head',
    alone: 'upstream',
    script: () => {
      throw new Error('reset');
    },
  },
  {
    name: 'reset after the head',
    alone: 'upstream',
    script: async (visit) => {
      beginStream(visit);
      await sleep(50);
      throw new Error('reset');
    },
  },
  {
    name: 'truncated stream',
    stream: true,
    begun: true,
    alone: 'upstream',
    script: async (visit) => {
      beginStream(visit);
      await streamWords(visit, chatWords.slice(0, 5));
      visit.response.end();
    },
  },
  {
    name: 'stalled stream',
    stream: true,
    begun: true,
    alone: 'timeout',
    script: async (visit) => {
      beginStream(visit);
      await streamWords(visit, chatWords.slice(0, 5));
      await silence(visit);
    },
  },
  { name: 'malformed JSON', script: (visit) => answerJson(visit, 200, '{"choices":[{'), alone: 'upstream' },
  {
    name: 'HTML error',
    alone: 'busy',
    script: ({ response }) => {
      response.writeHead(503, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>');
    },
  },
  { name: 'empty body', script: (visit) => answerJson(visit, 200, ''), alone: 'upstream' },
  {
    name: 'error in a 200 stream before the first token',
    stream: true,
    alone: 'upstream',
    script: (visit) => {
      beginStream(visit);
      visit.response.end('data: {"error":{"message":"overloaded","code":503}}\n\n');
    },
  },
  {
    name: 'error in a 200 stream half-way',
    stream: true,
    begun: true,
    alone: 'upstream',
    script: async (visit) => {
      beginStream(visit);
      await streamWords(visit, chatWords.slice(0, 5));
      visit.response.end('data: {"error":{"message":"overloaded","code":503}}\n\n');
    },
  },
  {
    name: 'context length 400',
    alone: 'refused',
    script: (visit) => answerJson(visit, 400, '{"error":{"message":"too long","code":"context_length_exceeded"}}'),
  },
  {
    name: "404 about the caller's item",
    alone: 'refused',
    told: 404,
    script: (visit) => answerJson(visit, 404, JSON.stringify({ error: { message: "Item with id 'rs_1' not found." } })),
  },
  { name: '401', script: (visit) => answerJson(visit, 401, '{"error":{"message":"bad key"}}'), alone: 'upstream' },
  { name: 'slow trickle', script: goodChat({ paceMs: 60 }), stream: true, alone: 'completed' },
];

/** Of a provider that is to be given up. */
const short = { firstByteMs: 400, idleMs: 400 };

/** What begins to answer and stalls has time to begin. */
function limitsOf({ alone, begun }: Pick<Fault, 'alone' | 'begun'>): TimeLimits {
  if (alone !== 'timeout') return {};
  return begun ? { idleMs: short.idleMs } : short;
}

const statusOf = { refused: 400, upstream: 502, busy: 503, timeout: 504 } as const;
const cases = faults.flatMap((fault) =>
  [true, false]
    .filter((stream) => fault.stream === undefined || fault.stream === stream)
    .map((stream) => ({ ...fault, stream, kind: stream ? 'stream' : 'plain' })),
);

describe('a provider that fails', () => {
  let broken: ScriptedUpstream;
  let healthy: ScriptedUpstream;
  const runs: ScriptedRun[] = [];

  beforeEach(async () => {
    broken = await startScriptedUpstream(() => undefined);
    healthy = await startScriptedUpstream(goodChat());
  });

  afterEach(async () => {
    await Promise.all(runs.splice(0).map(({ pools }) => pools.close()));
    await broken.stop();
    await healthy.stop();
  });

  function runWith(...upstreams: ScriptedUpstream[]): ScriptedRun {
    return runFor({}, ...upstreams);
  }

  /** `timeouts`: of the first. */
  function runFor(timeouts: TimeLimits, ...upstreams: ScriptedUpstream[]): ScriptedRun {
    const run = new ScriptedRun(
      upstreams.map(({ url }) => `${url}/v1`),
      { timeouts },
    );
    runs.push(run);
    return run;
  }

  it.each(cases)(
    '$name ($kind), alone: one event and the declared failure',
    async ({ script, stream, alone, begun, told }) => {
      broken.script = script;
      const call = await runFor(limitsOf({ alone, begun }), broken).run({ stream });
      expect(call.events).toHaveLength(1);
      if (alone === 'completed') {
        expect(call.event).toMatchObject({ state: 'completed', status: 200, usage: { input: 7, output: 24 } });
        return;
      }
      expect(call.ends).toBe(0);
      const status = told ?? statusOf[alone];
      expect(call.failures).toMatchObject([{ code: alone === 'busy' ? 'upstream' : alone, status }]);
      expect(call.event).toMatchObject({ state: 'failed', status: begun ? 200 : status });
      expect(call.event.attempts).toHaveLength(call.attempts.length);
      if (!begun) expect(call.event.usage).toEqual(noUsage);
      expect(call.text).not.toContain('[DONE]');
    },
  );

  it.each(cases)(
    '$name ($kind), with a healthy fallback: hidden unless the answer had begun or the caller is at fault',
    async ({ script, stream, alone, begun }) => {
      broken.script = script;
      const call = await runFor(limitsOf({ alone, begun }), broken, healthy).run({ stream });
      expect(call.events).toHaveLength(1);
      if (alone === 'refused' || begun) {
        expect(call.failures).toHaveLength(1);
        expect(healthy.visits).toHaveLength(0);
        return;
      }
      expect(call).toMatchObject({ ends: 1, failures: [] });
      const answered = alone === 'completed' ? 'acme/one' : 'spare1/one';
      expect(call.heads).toMatchObject([{ status: 200, headers: { 'x-gateway-model': answered } }]);
      expect(call.event).toMatchObject({
        state: 'completed',
        model: answered,
        estimated: false,
        usage: { input: chatUsage.prompt_tokens, output: chatUsage.completion_tokens },
      });
      for (const word of chatWords) expect(call.text).toContain(word);
    },
  );

  it('tries the same deployment once more before another one', async () => {
    broken.script = (visit) =>
      visit.number === 0 ? answerJson(visit, 500, '{"error":{"message":"boom"}}') : goodChat()(visit);
    const call = await runWith(broken, healthy).run();
    expect(call.event.attempts).toMatchObject([
      { provider: 'acme', status: 500, error: 'http_500', reason: 'boom' },
      { provider: 'acme', status: 200, error: null },
    ]);
    const [first, second] = call.event.attempts;
    expect(second?.startedAfterMs).toBeGreaterThanOrEqual(
      (first?.startedAfterMs ?? NaN) + (first?.latencyMs ?? NaN) - 1,
    );
    expect(second?.reason).toBeUndefined();
    expect(call.heads[0]?.headers['x-gateway-attempts']).toBe('2');
  });

  it('honours a short Retry-After', async () => {
    broken.script = (visit) =>
      visit.number === 0 ? answerJson(visit, 429, '{}', { 'retry-after': '1' }) : goodChat()(visit);
    const startedAt = performance.now();
    const call = await runWith(broken).run();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(call.event.state).toBe('completed');
  });

  it('tells that a provider is busy in its own words, with its time', async () => {
    broken.script = (visit) =>
      answerJson(visit, 503, '{"error":{"message":"Loading model","code":503}}', { 'retry-after': '7' });
    expect((await runWith(broken).run()).failures).toMatchObject([
      { status: 503, message: 'acme answered 503: Loading model', retryAfterS: 7 },
    ]);
  });

  it('keeps apart what a provider says of our account, without the key that it repeats', async () => {
    broken.script = (visit) => answerJson(visit, 401, '{"error":{"message":"Incorrect key sk-proj-abcd1234efgh"}}');
    const { attempts } = (await runWith(broken).run()).event;
    expect(attempts).toMatchObject([{ status: 401, detail: 'Incorrect key [redacted]' }]);
    expect(attempts[0]?.reason).not.toContain('Incorrect');
  });

  it('goes on with what is too long for a model to a fallback with a larger window', async () => {
    broken.script = (visit) =>
      answerJson(visit, 400, '{"error":{"message":"too long","code":"context_length_exceeded"}}');
    const run = new ScriptedRun([`${broken.url}/v1`, `${healthy.url}/v1`], { model: { contextWindow: 4_000 } });
    runs.push(run);
    expect((await run.run()).event).toMatchObject({ state: 'completed', model: 'spare1/one' });
    expect(broken.visits).toHaveLength(1);
  });

  it('does not come back to a provider that used up its time', async () => {
    broken.script = silence;
    await runFor(short, broken, healthy).run();
    expect(broken.visits).toHaveLength(1);
  });

  it('bills a stream that broke off for what arrived, by tokenizer', async () => {
    broken.script = async (visit) => {
      beginStream(visit);
      await streamWords(visit, [' one', ' two', ' three']);
      await sleep(20);
      throw new Error('reset');
    };
    const call = await runWith(broken).run({ stream: true });
    expect(call.event).toMatchObject({ state: 'failed', estimated: true, usage: { output: 3 } });
    expect(call.event.usage.input).toBeGreaterThan(0);
  });

  it.each<[string, boolean, UpstreamScript]>([
    ['ended before it answered', false, (visit) => beginStream(visit)],
    ['is silent', true, silence],
    ['sent an error for a good answer', false, (visit) => answerJson(visit, 200, '{"error":{"message":"boom"}}')],
    ['sent nothing', false, (visit) => answerJson(visit, 200, '')],
  ])(
    'a provider that %s costs the caller nothing, and what it may charge is told of its attempt',
    async (_name, stream, script) => {
      broken.script = async (visit) => {
        await script(visit);
        visit.response.end();
      };
      const call = await runFor(script === silence ? short : {}, broken).run({ stream });
      expect(call.event).toMatchObject({ state: 'failed', usage: noUsage });
      expect(call.event.attempts.at(-1)?.unbilled?.input).toBeGreaterThan(0);
      expect(call.event.attempts.at(-1)?.unbilled?.output).toBe(0);
    },
  );

  it('words that came together with the error behind them reach nobody: the caller pays nothing for them', async () => {
    broken.script = (visit) => {
      beginStream(visit);
      visit.response.end(`${chatChunk({ content: 'one two three' })}data: {"error":{"message":"overloaded"}}\n\n`);
    };
    const call = await runWith(broken).run({ stream: true });
    expect(call.text).toBe('');
    expect(call.event).toMatchObject({ state: 'failed', status: 502, usage: noUsage });
    expect(call.event.attempts.at(-1)?.unbilled).toMatchObject({ output: 3, estimated: true });
  });

  it.each([
    ['answers', 3, 1],
    ['resets once more', 4, 0],
  ])(
    'three resets, and then it %s: each attempt tells what the provider may charge for it',
    async (_, resets, paid) => {
      broken.script = (visit) => {
        if (visit.number < resets) throw new Error('reset');
        return goodChat()(visit);
      };
      const run = new ScriptedRun([`${broken.url}/v1`], { retries: 3 });
      runs.push(run);
      const { event } = await run.run();
      expect(broken.visits).toHaveLength(4);
      expect(event.usage).toMatchObject(paid ? { input: 7, output: 24 } : noUsage);
      const [first, ...others] = event.attempts.filter(({ error }) => error === 'connection_lost');
      expect(first?.unbilled?.input).toBeGreaterThan(0);
      expect(first?.unbilled).toMatchObject({ output: 0, estimated: true });
      expect(others.map(({ unbilled }) => unbilled)).toEqual(Array.from({ length: resets - 1 }, () => first?.unbilled));
      expect(event.attempts.slice(resets)).toMatchObject(paid ? [{ error: null }] : []);
      expect(event.attempts.at(-1)?.unbilled !== undefined).toBe(!paid);
    },
  );

  it('estimates when a good answer tells no usage', async () => {
    broken.script = (visit) => {
      beginStream(visit);
      visit.response.end(`${chatChunk({ content: 'one two' })}${chatChunk({}, 'stop')}data: [DONE]\n\n`);
    };
    const call = await runWith(broken).run({ stream: true });
    expect(call.event).toMatchObject({ state: 'completed', estimated: true, usage: { output: 2 } });
  });

  it('does not wait for a retry that would come after the deadline of the request', async () => {
    broken.script = (visit) => answerJson(visit, 429, '{}', { 'retry-after': '2' });
    const ask = () => {
      broken.visits.length = 0;
      return runWith(broken, healthy).run({ deadlineAt: Date.now() + 1_800 });
    };
    // The time is over where the machine stands still meanwhile.
    const call = await eventually(ask, ({ ends }) => ends === 1);
    expect(call.event).toMatchObject({ state: 'completed', model: 'spare1/one' });
    expect(broken.visits).toHaveLength(1);
  });

  it('stops at the deadline of the request', async () => {
    broken.script = silence;
    const call = await runWith(broken, healthy).run({ deadlineAt: Date.now() + 200 });
    expect(call.failures).toMatchObject([{ code: 'timeout', status: 504 }]);
    expect(healthy.visits).toHaveLength(0);
  });
});
