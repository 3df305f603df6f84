import { usageEvent } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { aRequest, anEvent } from '../../testing/generation-fixtures';
import { decodeMessage, frameTypes, type Frame } from '../frame';
import { decodeSettlement, type Settlement } from '../settlement';
import { FramePost } from '../frame-post';
import { defaultHopSettings } from '../hop-settings';
import type { UsageNotes } from '../../usage/journal/usage-journal';
import { Credit } from './credit';
import { ReplayBudget } from './sent-frames';
import { ServerCall } from './server-call';
import type { ServerCallHost } from './server-call';

jest.mock('node:timers/promises', () => {
  const actual = jest.requireActual<typeof import('node:timers/promises')>('node:timers/promises');
  return { ...actual, setTimeout: jest.fn(actual.setTimeout) };
});

/** How often a call waited for what edge may say. */
const waitsOf = ({ signal }: ServerCall) =>
  jest.mocked(sleep).mock.calls.filter(([, , options]) => options?.signal === signal).length;

const logger = pino({ level: 'silent' });
const failure = { code: 'upstream', status: 502, message: 'the provider failed', retryAfterS: null } as const;

/** An instance without NATS: keeps what a call sends and publishes. One tick is a second. */
class FakeInstance implements ServerCallHost {
  readonly settings = defaultHopSettings;
  readonly logger = logger;
  journal: UsageNotes | null = null;
  readonly held = { hold: () => undefined, answered: () => undefined };
  readonly replayBudget = new ReplayBudget(defaultHopSettings.replayBudgetBytes);
  readonly frames: Frame[] = [];
  readonly events: UsageEvent[] = [];
  readonly settlements: Settlement[] = [];
  now = 0;
  readonly ticker = this;
  readonly post = new FramePost(
    { publish: (_subject, payload) => void this.frames.push(...decodeMessage(Buffer.from(payload ?? '')).frames) },
    { sender: 'instance', coalesceMs: 0, logger },
  );

  ticks(ms: number): number {
    return ms / 1_000;
  }

  /** Null: events are sent at once; else their senders wait here. */
  unsent: (() => void)[] | null = null;

  publishUsage(event: UsageEvent, onSent: () => void): void {
    this.events.push(event);
    if (this.unsent) this.unsent.push(onSent);
    else onSent();
  }

  finished(_call: ServerCall, settlement: Settlement): void {
    this.settlements.push(settlement);
  }

  take(): Frame[] {
    this.post.flush();
    return this.frames.splice(0);
  }
}

const dataBytes = (frames: Frame[]) =>
  frames.filter(({ type }) => type === frameTypes.data).reduce((sum, { payload }) => sum + payload.length, 0);

describe('a call as an instance holds it', () => {
  let instance: FakeInstance;
  let call: ServerCall;

  beforeEach(() => {
    instance = new FakeInstance();
    const address = { edge: 'edge', subject: 'edge.frames.edge.0', stream: 1 };
    call = new ServerCall(instance, address, new Credit(100_000), aRequest(), Buffer.from(''), performance.now());
  });
  afterEach(() => jest.restoreAllMocks());

  it('numbers its frames without a gap, joins adjoining writes, and counts them in its end', () => {
    void call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
    call.head({ status: 200, headers: {} });
    for (let i = 0; i < 10; i++) call.write(Buffer.from('ten bytes '));
    call.end(null);
    const frames = instance.take();
    const { attempt, head, data, end } = frameTypes;
    expect(frames.map(({ type }) => type)).toEqual([attempt, head, data, end]);
    expect(frames.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
    expect(dataBytes(frames)).toBe(100);
  });

  it('sends no more than its credit and one frame, tells the writer to pause, and goes on when credit comes', async () => {
    expect(call.write(Buffer.alloc(1_000_000))).toBe(false);
    const first = dataBytes(instance.take());
    expect(first).toBeLessThanOrEqual(100_000 + 64 * 1024);
    let drained = false;
    const wait = call.drained().then(() => (drained = true));
    call.grant(100_000);
    await Promise.resolve();
    expect(drained).toBe(false);
    for (let i = 0; i < 10; i++) call.grant(100_000);
    await wait;
    expect(dataBytes(instance.take())).toBe(1_000_000 - first);
  });

  it('ends only after everything it held back has left, but counts its usage at once', () => {
    call.write(Buffer.alloc(300_000));
    call.end(anEvent('one', 5));
    expect(instance.events).toHaveLength(1);
    expect(instance.take().some(({ type }) => type === frameTypes.end)).toBe(false);
    expect(instance.settlements).toHaveLength(0);
    call.grant(1_000_000);
    expect(instance.take().at(-1)?.type).toBe(frameTypes.end);
    expect(instance.settlements).toEqual([{ accounted: true, usedTokens: 15 }]);
  });

  it('ends only after its event was sent, whatever comes meanwhile', () => {
    instance.unsent = [];
    call.write(Buffer.from('whole'));
    call.end(anEvent('one', 5));
    call.abort('caller_left');
    expect(instance.take().map(({ type }) => type)).toEqual([frameTypes.data]);
    expect(instance.settlements).toHaveLength(0);
    for (const onSent of instance.unsent) onSent();
    call.abort('edge_lost');
    expect(instance.take().map(({ type }) => type)).toEqual([frameTypes.end]);
    expect(instance.settlements).toEqual([{ accounted: true, usedTokens: 15 }]);
  });

  describe('that is no stream', () => {
    const { head, data, end, fail } = frameTypes;
    const taken = () => instance.take().map(({ type, number }) => [type, number]);

    beforeEach(() => {
      const request = { ...aRequest(), stream: false };
      call = new ServerCall(instance, call.address, new Credit(100_000), request, Buffer.from(''), performance.now());
      call.head({ status: 200, headers: {} });
    });

    it('says nothing of its answer before its event was sent, then all at once', () => {
      instance.unsent = [];
      expect(call.write(Buffer.from('a whole '))).toBe(true);
      expect(call.write(Buffer.from('answer'))).toBe(true);
      call.end(anEvent('one', 5));
      expect(taken()).toEqual([]);
      for (const onSent of instance.unsent) onSent();
      const frames = instance.take();
      expect(frames.map(({ type, number }) => [type, number])).toEqual([
        [head, 0],
        [data, 1],
        [end, 2],
      ]);
      expect(Buffer.from(frames[1]?.payload ?? '').toString()).toBe('a whole answer');
    });

    it('keeps to its credit, whatever it gathered', () => {
      expect(call.write(Buffer.alloc(60_000))).toBe(true);
      expect(call.write(Buffer.alloc(200_000))).toBe(false);
      expect(dataBytes(instance.take())).toBeLessThanOrEqual(100_000 + 64 * 1024);
      call.end(null);
      expect(taken()).toEqual([]);
      call.grant(1_000_000);
      expect(taken().at(-1)?.[0]).toBe(end);
    });

    it.each([
      ['it is large', () => call.write(Buffer.alloc(70_000)), [head, data, data]],
      ['it takes its time', () => call.tick(1), [head, data]],
      ['it is stopped', () => call.abort('caller_left'), [head, data]],
      ['it fails', () => call.fail(failure, null), [head, data, fail]],
    ])('lets go what it gathered when %s', (_, happens, types) => {
      call.write(Buffer.from('begun'));
      happens();
      expect(new Set(taken().map(([type]) => type))).toEqual(new Set(types));
    });

    it('is complete although its caller leaves while its event waits', () => {
      instance.unsent = [];
      call.write(Buffer.from('whole'));
      call.end(anEvent('one', 5));
      call.abort('caller_left');
      for (const onSent of instance.unsent) onSent();
      expect(taken().map(([type]) => type)).toEqual([head, data, end]);
    });
  });

  it('fails when what it held back is dropped, but also that only after its event was sent', () => {
    instance.unsent = [];
    call.write(Buffer.alloc(300_000));
    call.end(anEvent('one', 5));
    instance.take();
    call.abort('caller_left');
    expect(instance.take()).toHaveLength(0);
    for (const onSent of instance.unsent) onSent();
    expect(instance.take().map(({ type }) => type)).toEqual([frameTypes.fail]);
  });

  it('is stopped when its caller reads nothing for more than 30 s, also when it ended before', () => {
    call.write(Buffer.alloc(300_000));
    call.end(anEvent('one'));
    instance.now = 30;
    call.tick(30);
    expect(instance.settlements).toHaveLength(0);
    call.tick(31);
    expect(call.signal.reason).toBe('slow_reader');
    const last = instance.take().at(-1);
    expect(last?.type).toBe(frameTypes.fail);
    expect(instance.settlements).toHaveLength(1);
  });

  it('never ends cleanly after it was stopped, because what it held back is gone', () => {
    call.write(Buffer.alloc(300_000));
    instance.take();
    call.abort('edge_lost');
    call.end(anEvent('one'));
    expect(instance.take().map(({ type }) => type)).toEqual([frameTypes.fail]);
    expect(instance.events).toHaveLength(1);
  });

  it('is stopped when its handler writes on without credit beyond all bounds', () => {
    const small = { ...instance.settings, maxBacklogBytes: 1_000_000 };
    Object.assign(instance, { settings: small });
    for (let i = 0; i < 30; i++) call.write(Buffer.alloc(64 * 1024));
    expect(call.signal.reason).toBe('slow_reader');
  });

  it('tells nothing after its last word', () => {
    call.fail(failure, null);
    expect(instance.take()).toHaveLength(1);
    expect(call.write(Buffer.from('more'))).toBe(false);
    call.head({ status: 200, headers: {} });
    call.end(anEvent('late'));
    expect(instance.take()).toHaveLength(0);
    expect(instance.events).toHaveLength(0);
  });

  it('publishes no usage when another instance has the generation', async () => {
    const begun = call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
    call.abort('failed', true);
    call.fail(failure, anEvent('twice'));
    await begun;
    expect([instance.events.length, call.isElsewhere, call.wasAsked]).toEqual([0, true, false]);
  });

  it.each([
    ['edge_lost', true, 0],
    ['edge_lost', false, 1],
    ['caller_left', true, 1],
  ] as const)('stopped by %s, made again elsewhere %s: publishes %i events', (reason, madeAgain, events) => {
    const request = { ...aRequest(), madeAgain };
    const { address } = call;
    call = new ServerCall(instance, address, new Credit(100_000), request, Buffer.from(''), performance.now());
    call.abort(reason);
    call.fail(failure, anEvent('once'));
    expect(instance.events).toHaveLength(events);
    expect(call.isElsewhere).toBe(false);
  });

  it.each([
    [0, true],
    [1, false],
  ])('holds its usage after a loss until edge has heard of it: it asks from %i on', (number, isHeld) => {
    const hold = jest.spyOn(instance.held, 'hold');
    void call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
    call.head({ status: 200, headers: {} });
    call.lose();
    call.resume(number, 0);
    call.fail(failure, { ...anEvent(call.request.eventId, 1), state: 'cancelled' });
    expect(hold).toHaveBeenCalledTimes(isHeld ? 1 : 0);
    expect(instance.events).toHaveLength(isHeld ? 0 : 1);
  });

  it('leaves it to edge to account for a provider that it used, when its handler left without a word', () => {
    void call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
    call.abandon();
    expect(instance.settlements).toEqual([{ accounted: false, usedTokens: null }]);
    const last = instance.take().at(-1);
    expect(decodeSettlement(last?.payload ?? new Uint8Array())).toEqual({ accounted: false, usedTokens: null });
  });

  /** Another call of the same edge, which sent it at this time. */
  function callSentAt(sentAtMs: number | null): ServerCall {
    const address = { edge: 'edge', subject: 'edge.frames.edge.0', stream: 2 };
    return new ServerCall(instance, address, new Credit(100_000), aRequest(), Buffer.from(''), sentAtMs);
  }

  it('lets a provider be asked at once; but where this process was stalled, only after edge could say that another has the call', async () => {
    const attempt = { number: 1, model: 'm', provider: 'p', deployment: 'd' };
    const sentAtMs = 1_000;
    let nowMs = sentAtMs + 200;
    // The clock of this file alone: `performance` is the same object for all that runs in this process.
    jest.replaceProperty(globalThis, 'performance', { now: () => nowMs } as typeof performance);
    const atOnce = callSentAt(sentAtMs);
    await atOnce.attempt(attempt, () => 10);
    expect(waitsOf(atOnce)).toBe(0);
    nowMs = sentAtMs + 260;
    const stalled = callSentAt(sentAtMs);
    const asked = stalled.attempt(attempt, () => 10);
    setTimeout(() => stalled.abort('failed', true), 100);
    await asked;
    expect([stalled.signal.aborted, waitsOf(stalled)]).toEqual([true, 1]);
    const waiting = callSentAt(sentAtMs);
    await waiting.attempt(attempt, () => 10);
    await waiting.attempt({ ...attempt, number: 2 }, () => 10);
    expect(waitsOf(waiting)).toBe(1);
    expect(jest.mocked(sleep).mock.lastCall?.[0]).toBe(defaultHopSettings.acceptTimeoutMs);
  });

  it.each([
    ['waits for that also where the way here and the stall took long only together', -260, 1],
    ['waits for nothing where edge has confirmed the call', null, 0],
  ])('%s', async (_what, sentAgoMs, expected) => {
    const sentAt = sentAgoMs === null ? null : performance.now() + sentAgoMs;
    const late = callSentAt(sentAt);
    await late.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 10);
    expect(waitsOf(late)).toBe(expected);
  });

  describe('with a journal', () => {
    const attempt = { number: 1, model: 'm', provider: 'p', deployment: 'd' };
    let notes: Map<string, string>;
    let noted: ServerCall;
    const note = () => usageEvent.parse(JSON.parse(notes.get(noted.request.eventId) ?? 'null'));

    beforeEach(() => {
      notes = new Map();
      const forget = (id: string) => void notes.delete(id);
      instance.journal = { note: (id, json) => void notes.set(id, json), stored: forget, forget };
      const address = { edge: 'edge', subject: 'edge.frames.edge.0', stream: 1 };
      noted = new ServerCall(instance, address, new Credit(100_000), aRequest(), Buffer.from(''), performance.now());
    });

    it('notes each attempt before it can reach a provider, and the input once the call lasts', () => {
      expect(notes.size).toBe(0);
      void noted.attempt({ ...attempt, deployment: 'first' }, () => 10);
      void noted.attempt({ ...attempt, number: 2 }, () => 12);
      expect(note()).toMatchObject({ state: 'failed', estimated: true, model: 'm', usage: { input: 0, output: 0 } });
      expect(note().attempts.map(({ deployment, error }) => [deployment, error])).toEqual([
        ['first', 'instance_lost'],
        ['d', 'instance_lost'],
      ]);
      noted.tick(1);
      expect(note().attempts.at(-1)?.unbilled).toBeUndefined();
      noted.tick(2);
      expect(note()).toMatchObject({ usage: { input: 0, output: 0 } });
      expect(note().attempts.map(({ unbilled }) => unbilled?.input)).toEqual([undefined, 12]);
    });

    it('goes on without the input when it cannot be counted', () => {
      void noted.attempt(attempt, () => {
        throw new Error('no tokenizer');
      });
      noted.tick(2);
      expect(note().usage.input).toBe(0);
    });

    it.each([
      [
        'another instance has the generation',
        () => (noted.abort('failed', true), noted.fail(failure, anEvent('twice'))),
      ],
      ['edge has to account for it', () => noted.abandon()],
      ['there is nothing to count', () => noted.fail(failure, null)],
    ])('forgets the call when %s', (_, end) => {
      void noted.attempt(attempt, () => 10);
      end();
      noted.tick(2);
      expect(notes.size).toBe(0);
    });

    it('leaves the note to the publisher when its event is known', () => {
      void noted.attempt(attempt, () => 10);
      noted.end(anEvent('known'));
      notes.clear();
      noted.tick(2);
      expect(notes.size).toBe(0);
    });
  });

  it('lets those who wait for credit go when it is stopped', async () => {
    call.write(Buffer.alloc(300_000));
    const waiting = call.drained();
    call.abort('caller_left');
    await expect(waiting).rejects.toThrow('caller_left');
    await expect(call.drained()).rejects.toThrow('caller_left');
  });

  it('pings when it sent nothing for five seconds', () => {
    call.tick(4);
    expect(instance.take()).toHaveLength(0);
    instance.now = 5;
    call.tick(5);
    call.tick(6);
    expect(instance.take().map(({ type }) => type)).toEqual([frameTypes.ping]);
  });
});
