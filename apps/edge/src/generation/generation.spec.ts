import { GatewayError } from '@tollgate/contracts';
import type { GenerationFailure, GenerationRequest } from '@tollgate/contracts/inference';
import { surfaces } from '@tollgate/dialects/surface';
import type { GenerationClient, GenerationListener } from '@tollgate/messaging';
import { noSpan } from '@tollgate/observability';
import { FakeClock } from '../testing/fake-clock';
import { FakeCaller } from '../testing/fake-response';
import type { Charge } from '../admission/leases/budget-lease';
import type { SeenGeneration } from './edge-usage-event';
import { edgeUsageEvent } from './edge-usage-event';
import { Generation } from './generation';
import type { FallBack } from './generation';
import { PlainAnswer, StreamAnswer } from './answer';

const [chat] = surfaces;
if (!chat) throw new Error('no surface');
const surface = chat;

const attempt = { number: 1, model: 'openai/x', provider: 'openai', deployment: 'd' };
const upstreamFailure = { code: 'upstream', status: 502, message: 'openai answered 500', retryAfterS: null } as const;
const lost = { code: 'instance_lost', status: 503, message: 'lost', retryAfterS: 1 } as const;
const head = { status: 200, headers: { 'content-type': 'text/event-stream' } };

/**
 * A generation whose hop is played by the test: `listener` says what inference would, `hop` notes what edge
 * did.
 */
function setUp(
  stream: boolean,
  caller = new FakeCaller(),
  answerAtOnce?: (listener: GenerationListener) => void,
  countInputTokens: () => number | Promise<number> = () => 7,
  fallBack?: FallBack,
) {
  const clock = new FakeClock();
  const hop = { consumed: 0, cancelled: [] as string[], opened: [] as string[], settled: [] as string[] };
  const unanswered: number[] = [];
  const outcome = {
    settled: [] as (number | null)[],
    charges: [] as Charge[],
    reports: [] as SeenGeneration[],
    over: 0,
  };
  const request: GenerationRequest = {
    kind: 'generate',
    requestId: 'r',
    eventId: 'e',
    keyId: 'k',
    accountId: 'a',
    surface: 'openai-chat',
    requestedModel: 'x',
    model: 'openai/x',
    stream,
    includeUsage: false,
    startedAt: 0,
    deadlineAt: 1,
    lease: 'l',
    traceparent: null,
    headers: {},
    attribution: { endUser: 'ann' },
  };
  const answer = stream
    ? new StreamAnswer(caller.response, surface, 15_000, clock, () => generation.attemptHeaders())
    : new PlainAnswer(caller.response);
  const generation: Generation = new Generation({
    digest: 'd',
    request,
    answer,
    response: caller.response,
    reservation: {
      settle: (tokens, charge) => {
        outcome.settled.push(tokens);
        outcome.charges.push(charge);
      },
    },
    transcript: stream ? surface.transcript() : null,
    clock,
    span: noSpan,
    onHead: () => undefined,
    countInputTokens,
    report: (seen) => outcome.reports.push(seen),
    onUnanswered: ({ status }) => unanswered.push(status),
    ...(fallBack && { fallBack }),
    onSettled: (_ended, last) => {
      outcome.over += 1;
      hop.settled.push(last.eventId);
    },
  });
  const client: GenerationClient = {
    open: ({ eventId }, _body, listener) => {
      hop.opened.push(eventId);
      answerAtOnce?.(listener);
      return {
        consumed: (bytes) => (hop.consumed += bytes),
        cancel: (reason) => hop.cancelled.push(reason),
      };
    },
  };
  generation.open(client, Buffer.from('{}'));
  return { generation, clock, hop, outcome, unanswered, caller, dispatch: { request, answer } };
}

const event = (text: string, more: object = {}) =>
  Buffer.from(`data: ${JSON.stringify({ ...more, choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
const turn = () => new Promise(setImmediate);

describe('a stream', () => {
  it('gives no credit for bytes that the caller has not taken', async () => {
    const slow = new FakeCaller(false);
    const { generation, hop } = setUp(true, slow);
    generation.onHead(head);
    const bytes = event('hello');
    generation.onData(bytes);
    generation.onData(bytes);
    await turn();
    expect(hop.consumed).toBe(0);
    await slow.read();
    expect(hop.consumed).toBe(2 * bytes.length);
  });

  it('is kept open by comments in silences, between whole events only', async () => {
    const { generation, clock, caller } = setUp(true);
    generation.onAttempt(attempt);
    clock.advance(15_000);
    generation.tick(clock.monotonicMs());
    expect(caller.headers['x-gateway-provider']).toBe('openai');
    expect(caller.text).toBe(Buffer.from(surface.keepAlive).toString());
    generation.onData(Buffer.from('data: {"choi'));
    clock.advance(60_000);
    generation.tick(clock.monotonicMs());
    expect(caller.text).toMatch(/\{"choi$/);
  });

  it('that broke in the middle of an event ends that event before the error, and never with [DONE]', async () => {
    const { generation, caller } = setUp(true);
    generation.onHead(head);
    generation.onData(Buffer.from('data: {"choi'));
    generation.onFail(lost);
    await turn();
    expect(caller.text).toMatch(/^data: \{"choi\n\ndata: \{"error"/);
    expect(caller.text).not.toContain('[DONE]');
    expect(caller.isComplete).toBe(true);
  });

  it('that failed before its first byte is an error with its own status and Retry-After', () => {
    const { generation, caller } = setUp(true);
    generation.onHead(head);
    generation.onFail(lost);
    expect(caller.status).toBe(503);
    expect(caller.headers['retry-after']).toBe('1');
  });
});

describe('a plain answer', () => {
  it('is sent whole with its length', async () => {
    const { generation, caller, hop } = setUp(false);
    generation.onHead({ status: 200, headers: { 'content-type': 'application/json' } });
    generation.onData(Buffer.from('{"a":'));
    generation.onData(Buffer.from('1}'));
    expect(caller.status).toBeNull();
    expect(hop.consumed).toBe(7);
    generation.onEnd();
    await turn();
    expect(caller.headers['content-length']).toBe('7');
    expect(caller.text).toBe('{"a":1}');
  });

  it('that broke half-way is a plain error, and a broken connection where too much was sent already', async () => {
    const small = setUp(false);
    small.generation.onData(Buffer.from('{'));
    small.generation.onFail(lost);
    expect(small.caller.status).toBe(503);
    const large = setUp(false);
    large.generation.onData(Buffer.alloc(1_100_000));
    expect(large.caller.status).toBe(200);
    large.generation.onFail(lost);
    expect(large.caller.isGone).toBe(true);
  });
});

describe('a generation that no provider was asked for', () => {
  it('is told as such when it fails, unless its caller left', () => {
    const refused = setUp(false);
    refused.generation.onFail(lost);
    const asked = setUp(false);
    asked.generation.onAttempt(attempt);
    asked.generation.onFail(lost);
    const left = setUp(false);
    left.generation.cancel('caller_left');
    left.generation.onFail(lost);
    expect([refused, asked, left].map(({ unanswered }) => unanswered)).toEqual([[503], [], []]);
  });
});

describe('the usage of a generation', () => {
  it('settles the reservation with what inference told, and is not reported twice', () => {
    const { generation, outcome } = setUp(true);
    generation.onAttempt(attempt);
    generation.onEnd();
    generation.onSettled(true, 30);
    expect(outcome).toEqual({ settled: [30], charges: ['reported'], reports: [], over: 1 });
  });

  it('is reported by edge when no instance will: input and what was delivered, estimated', () => {
    const { generation, outcome } = setUp(true);
    generation.onAttempt({ ...attempt, factors: { discount: '0.1' } });
    generation.onHead(head);
    generation.onData(event('hello world', { service_tier: 'flex' }));
    generation.onFail(lost);
    generation.onSettled(false, null);
    const [seen] = outcome.reports;
    if (!seen) throw new Error('nothing was reported');
    const usage = edgeUsageEvent(seen);
    expect(usage).toMatchObject({
      id: 'e',
      model: 'openai/x',
      state: 'failed',
      status: 200,
      estimated: true,
      reportedBy: 'edge',
      lease: 'l',
      attribution: { endUser: 'ann' },
      attempts: [{ deployment: 'd', error: 'instance_lost', status: 200 }],
    });
    expect(usage.usage).toMatchObject({ input: 7, served: { tier: 'flex', discount: '0.1' } });
    expect(usage.usage.output).toBeGreaterThan(0);
    expect(outcome.settled).toEqual([usage.usage.input + usage.usage.output]);
  });

  it('of a plain answer that was cut off, or of a stream without an event, costs the caller nothing', () => {
    const { generation, outcome } = setUp(false);
    generation.onAttempt(attempt);
    generation.onData(Buffer.from('{"choices":'));
    generation.onFail(lost);
    generation.onSettled(false, null);
    expect(outcome.reports[0]).toMatchObject({ inputTokens: 7, outputTokens: 0, status: 503, isCharged: false });
    expect(outcome.settled).toEqual([0]);
    const [seen] = outcome.reports;
    const usage = seen && edgeUsageEvent(seen);
    expect(usage).toMatchObject({ state: 'failed', usage: { input: 0, output: 0 } });
    expect(usage?.attempts).toMatchObject([{ unbilled: { input: 7, output: 0 } }]);
  });

  it('waits until its input was counted by a thread, and is then told once, as of when it ended', async () => {
    let count = (_tokens: number): void => undefined;
    const counting = new Promise<number>((resolve) => (count = resolve));
    const { generation, outcome, clock } = setUp(true, new FakeCaller(), undefined, () => counting);
    generation.onAttempt(attempt);
    generation.onData(event('hello'));
    const endedAt = clock.nowMs();
    generation.onFail(lost);
    generation.onSettled(false, null);
    await turn();
    expect(outcome).toEqual({ settled: [], charges: [], reports: [], over: 0 });
    clock.advance(5_000);
    count(9);
    await turn();
    expect(outcome.reports).toMatchObject([{ inputTokens: 9, endedAt, isCharged: true }]);
    expect(outcome).toMatchObject({ settled: [10], over: 1 });
  });

  it('is none when no provider was reached', () => {
    const { generation, outcome } = setUp(true);
    generation.onFail(lost);
    generation.onSettled(false, null);
    expect(outcome).toEqual({ settled: [0], charges: ['unknown'], reports: [], over: 1 });
  });

  it('of a caller that left before an answer has status 499 and is cancelled', async () => {
    const { generation, outcome, caller, hop } = setUp(true);
    generation.onAttempt(attempt);
    caller.leave();
    await turn();
    expect(hop.cancelled).toEqual(['caller_left']);
    generation.onFail({ code: 'cancelled', status: 499, message: '', retryAfterS: null });
    generation.onSettled(false, null);
    expect(outcome.reports[0]).toMatchObject({ state: 'cancelled', status: 499, isCharged: true });
    expect(outcome.settled).toEqual([7]);
    expect(caller.overWith).toBe(499);
  });
});

describe('a hop that answers before it returns', () => {
  it('is heard', () => {
    const { caller } = setUp(true, new FakeCaller(), (listener) => listener.onFail(upstreamFailure));
    expect(caller.status).toBe(502);
  });
});

describe('keys of its account that are refused', () => {
  const refused: GenerationFailure = {
    ...{ code: 'refused', status: 401, message: 'openai refused the key', retryAfterS: null },
    details: { reason: 'own_key_refused' },
  };
  /** With what it falls back; `next`: what it is to be instead. */
  const falling = (stream: boolean, next?: GatewayError) => {
    const second = { asked: 0, settled: [] as (number | null)[] };
    const parts = setUp(stream, undefined, undefined, undefined, () => {
      const { request, answer } = parts.dispatch;
      second.asked += 1;
      const settle = (tokens: number | null) => void second.settled.push(tokens);
      return Promise.resolve(next ?? { request: { ...request, eventId: 'again' }, reservation: { settle }, answer });
    });
    parts.generation.onAttempt(attempt);
    return { ...parts, second };
  };
  const refuse = async ({ generation }: ReturnType<typeof setUp>, accounted = true) => {
    generation.onFail(refused);
    generation.onSettled(accounted, accounted ? 0 : null);
    await turn();
  };

  it.each([true, false])('have it dispatched once more, where it may fall back (stream: %s)', async (stream) => {
    const { generation, hop, outcome, caller, second } = falling(stream);
    generation.onFail(refused);
    expect([caller.isComplete, outcome.over]).toEqual([false, 0]);
    generation.onSettled(true, 0);
    await turn();
    expect(outcome).toEqual({ settled: [0], charges: ['reported'], reports: [], over: 0 });
    expect(hop.opened).toEqual(['e', 'again']);
    generation.onAttempt({ ...attempt, provider: 'operators' });
    generation.onHead(head);
    generation.onData(event('hello'));
    generation.onEnd();
    generation.onSettled(true, 9);
    await turn();
    expect([caller.status, second.settled, outcome.settled]).toEqual([200, [9], [0]]);
    expect([outcome.over, hop.settled]).toEqual([1, ['again']]);
  });

  it('are told in an event by edge where the instance is lost before it accounts for them, at no charge', async () => {
    const parts = falling(false);
    await refuse(parts, false);
    expect(parts.outcome.reports).toMatchObject([{ status: 401, failureCode: 'refused', isCharged: false }]);
    expect([parts.outcome.settled, parts.hop.opened]).toEqual([[0], ['e', 'again']]);
  });

  it('are told where they are refused again, or it failed for something else, or may not fall back', async () => {
    const twice = falling(false);
    await refuse(twice);
    twice.generation.onFail({ ...refused, status: 403 });
    twice.generation.onSettled(true, 0);
    await turn();
    expect([twice.caller.status, twice.hop.opened.length]).toEqual([403, 2]);
    const never = setUp(false);
    await refuse(never);
    const other = falling(false);
    other.generation.onFail(upstreamFailure);
    other.generation.onSettled(true, 0);
    await turn();
    expect([never.caller.status, never.hop.opened]).toEqual([401, ['e']]);
    expect([other.caller.status, other.hop.opened]).toEqual([502, ['e']]);
  });

  it('are the end where something of an answer was there, or the caller was told that it goes on', async () => {
    const begun = falling(true);
    begun.generation.onHead(head);
    begun.generation.onData(event('hello'));
    const silent = falling(true);
    silent.clock.advance(15_000);
    silent.generation.tick(silent.clock.monotonicMs());
    for (const { generation, hop, caller, outcome } of [begun, silent]) {
      generation.onFail(refused);
      generation.onSettled(true, 3);
      await turn();
      expect(caller.text).toContain('own_key_refused');
      expect([hop.opened, outcome.over]).toEqual([['e'], 1]);
    }
  });

  it('leave the refusal of what would have gone on, and nothing held', async () => {
    const parts = falling(false, new GatewayError(429, 'Used up.', 7));
    await refuse(parts);
    const { hop, outcome, caller, unanswered } = parts;
    expect([caller.status, caller.headers['retry-after'], hop.opened]).toEqual([429, '7', ['e']]);
    expect([outcome.over, outcome.settled, unanswered]).toEqual([1, [0], [429]]);
  });

  it.each([1, 0])('hold nothing, and nobody is asked, where the caller left (as it was reserved: %i)', async (n) => {
    const { generation, hop, outcome, second } = falling(false);
    generation.onFail(refused);
    if (n === 0) generation.cancel('caller_left');
    generation.onSettled(true, 0);
    generation.cancel('caller_left');
    await turn();
    expect([hop.opened, second.asked, second.settled.length, outcome.over]).toEqual([['e'], n, n, 1]);
  });

  it('let no answer begin before its caller can be told whose key answers', async () => {
    const { generation, clock, caller } = falling(true);
    generation.onFail(refused);
    clock.advance(15_000);
    generation.tick(clock.monotonicMs());
    expect(caller.status).toBeNull();
    generation.onSettled(true, 0);
    generation.tick(clock.monotonicMs());
    expect(caller.status).toBe(200);
  });
});
