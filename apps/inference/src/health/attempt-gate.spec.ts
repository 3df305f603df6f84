import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { AttemptGate, type AttemptAsk, type HealthPlace } from './attempt-gate';
import { AttemptPass, type AttemptResult } from './attempt-pass';

const failure: AttemptResult = { kind: 'failed', status: 500, retryAfterS: null };
const refusal: AttemptResult = { kind: 'failed', status: 429, retryAfterS: null };
const caller = { key: 'key-a', account: 'account-a' };
const other = { key: 'key-b', account: 'account-b' };
let now: number;
let gate: AttemptGate;

beforeEach(() => {
  now = 1_000;
  gate = new AttemptGate(2, 100, () => now);
});

function placeOf(id: string, provider: ProviderDefinition = aProvider()): HealthPlace {
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  return { deployment: { id, provider: provider.id, upstreamModel: id }, endpoint };
}

function asking(overrides: Partial<AttemptAsk> = {}): AttemptAsk {
  return { caller, leftMs: 1_000_000, stream: false, bytes: 1_000, alone: false, ...overrides };
}

/** @throws Error when the attempt is not let through. */
function pass(place: HealthPlace, overrides: Partial<AttemptAsk> = {}): AttemptPass {
  const admitted = gate.admit(place, asking(overrides));
  if ('kind' in admitted) throw new Error(admitted.kind);
  return admitted;
}

function attempt(place: HealthPlace, result: AttemptResult, times = 1, overrides: Partial<AttemptAsk> = {}): void {
  for (let count = 0; count < times; count += 1) pass(place, overrides).end(result);
}

describe('the gate of attempts', () => {
  it('keeps the deployments of one provider apart', () => {
    attempt(placeOf('a'), failure, 5);
    expect(gate.admit(placeOf('a'), asking())).toEqual({ kind: 'open', waitMs: 5_000 });
    expect(gate.isOpenTo(placeOf('a'), caller)).toBe(false);
    attempt(placeOf('b'), { kind: 'answered' });
  });

  it.each([
    [429, 20, 20_000],
    [503, 20, 20_000],
    [529, 20, 20_000],
    [500, 20, 0],
    [503, 2, 0],
  ])('heeds what a %i asks for: %i s of patience mean %i ms', (status, retryAfterS, waitMs) => {
    attempt(placeOf('a'), { kind: 'failed', status, retryAfterS });
    expect(gate.report()).toMatchObject([{ retryInMs: waitMs }]);
  });

  it('learns nothing of attempts that we ended ourselves, and nothing twice', () => {
    attempt(placeOf('a'), { kind: 'unknown' }, 20);
    const one = pass(placeOf('a'));
    for (let count = 0; count < 20; count += 1) one.end(failure);
    expect(gate.report()).toMatchObject([{ state: 'closed' }]);
  });

  it.each([
    ['a time limit of ours', null],
    ['its own 504', 504],
  ])('holds %s against a deployment, but not where the request was far larger than usual', (_what, status) => {
    const late: AttemptResult = { kind: 'failed', status, retryAfterS: null, timedOut: true };
    for (let count = 0; count < 10; count += 1) {
      const usual = pass(placeOf('a'), { stream: true });
      now += 200;
      usual.answering();
      usual.end({ kind: 'answered' });
    }
    now += 11_000;
    const waiting = (bytes: number): AttemptPass[] =>
      Array.from({ length: 5 }, () => pass(placeOf('a'), { bytes, alone: true }));
    const [huge, usual] = [waiting(1_000_000), waiting(1_000)];
    now += 120_000;
    for (const one of huge) one.end(late);
    expect(gate.report()).toMatchObject([{ state: 'closed' }]);
    for (const one of usual) one.end(late);
    expect(gate.report()).toMatchObject([{ state: 'open' }]);
  });

  it('heeds what an operator decided before all that it saw itself, and reports it', () => {
    const [one, two] = [placeOf('a'), placeOf('b')];
    const hold = { state: 'draining' as const, reason: 'slow', by: 'cli:ada', since: 1, until: Date.now() + 60_000 };
    const running = pass(one);
    running.onClosed = () => running.end({ kind: 'unknown' });
    gate.retain([one, two], [{ deployment: 'a', ...hold }]);
    expect(gate.admit(one, asking({ alone: true }))).toEqual({ kind: 'held', until: hold.until });
    expect([gate.isOpenTo(one, caller), gate.takeRetry(one, caller), gate.isOpenTo(two, caller)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(gate.report()).toMatchObject([{ deployment: 'a', held: hold, inFlight: 1 }]);
    gate.retain([one, two], [{ deployment: 'a', ...hold, state: 'closed' }]);
    expect(gate.report()).toMatchObject([{ state: 'closed', inFlight: 0, held: { state: 'closed' } }]);
    gate.retain([one, two], []);
    attempt(one, { kind: 'answered' });
    expect(gate.report()).toMatchObject([{ deployment: 'a', held: null }]);
  });

  it('lets a hold end at its time when nobody tells that it is over, and a little later for the clocks', () => {
    const place = placeOf('a');
    const startedAt = Date.now();
    const hold = { state: 'closed' as const, reason: null, by: 'cli:ada', since: 1, until: startedAt + 60_000 };
    gate.retain([place], [{ deployment: 'a', ...hold }]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(startedAt + 64_000);
    expect([gate.isHeld(place), gate.isOpenTo(place, caller)]).toEqual([true, false]);
    expect(gate.admit(place, asking())).toEqual({ kind: 'held', until: hold.until });
    clock.mockReturnValue(startedAt + 66_000);
    expect([gate.isHeld(place), gate.isOpenTo(place, caller)]).toEqual([false, true]);
    expect(gate.report()).toMatchObject([{ deployment: 'a', held: null }]);
    attempt(place, { kind: 'answered' });
    clock.mockRestore();
  });

  it('shares one limit of concurrency among the deployments at one address', () => {
    const running = [pass(placeOf('a')), pass(placeOf('b'))];
    attempt(placeOf('a'), refusal, 3);
    expect(gate.report()).toMatchObject([{ concurrencyLimit: 2 }, { concurrencyLimit: 2 }]);
    const share = { own: 2, places: 2, fair: 2, account: null, isOwed: false };
    expect(gate.admit(placeOf('b'), asking())).toEqual({ kind: 'full', share });
    const elsewhere = aProvider({ id: 'beta', baseUrl: 'http://127.0.0.1:10' });
    attempt(placeOf('c', elsewhere), { kind: 'answered' });
    for (const one of running) one.end({ kind: 'answered' });
    attempt(placeOf('b'), { kind: 'answered' });
  });

  it('sends a deployment with a limit of its own no more at once, and the next in turn', async () => {
    const place = placeOf('a');
    const bounded = { ...place, deployment: { ...place.deployment, maxConcurrent: 1 } };
    const running = pass(bounded);
    expect(gate.admit(bounded, asking({ caller: other }))).toMatchObject({ kind: 'full' });
    const next = gate.admitInTurn(bounded, asking({ caller: other }), 60_000, new AbortController().signal);
    expect(gate.report()).toMatchObject([{ inFlight: 1, waiting: 1 }]);
    attempt(placeOf('b'), { kind: 'answered' });
    running.end({ kind: 'answered' });
    expect(await next).toBeInstanceOf(AttemptPass);
    expect(gate.report()).toMatchObject([{ inFlight: 1, waiting: 0 }, {}]);
  });

  it('leaves places of own keys to accounts beside the one that would take all of them', async () => {
    gate = new AttemptGate(2, 4, () => now);
    const { deployment, endpoint } = placeOf('a');
    const place = { deployment, endpoint: { ...endpoint, isOwnKey: true } };
    const running = [pass(place), pass(place)];
    expect(gate.admit(place, asking())).toMatchObject({ kind: 'full' });
    const theirs = pass(place, { caller: other });
    const operators = Array.from({ length: 5 }, () => pass(placeOf('a')));
    const next = gate.admitInTurn(place, asking(), 60_000, new AbortController().signal);
    for (const one of [theirs, ...running]) one.end({ kind: 'unknown' });
    expect(await next).toBeInstanceOf(AttemptPass);
    for (const one of operators) one.end({ kind: 'unknown' });
  });

  it('is not closed by the end of an answer that began before it opened again', () => {
    attempt(placeOf('a'), failure, 5);
    now += 5_000;
    const probe = pass(placeOf('a'));
    probe.answering();
    attempt(placeOf('a'), failure, 5);
    probe.end({ kind: 'answered' });
    expect(gate.isOpenTo(placeOf('a'), caller)).toBe(false);
  });

  it('grants no retry at a deployment that is left alone, nor beyond the budget of the provider', () => {
    const granted = Array.from({ length: 20 }, () => gate.takeRetry(placeOf('a'), caller)).filter(Boolean);
    expect(granted).toHaveLength(10);
    now += 3_600_000;
    attempt(placeOf('b'), failure, 5);
    expect(gate.takeRetry(placeOf('b'), caller)).toBe(false);
    expect(gate.takeRetry(placeOf('a'), caller)).toBe(true);
  });

  it('grants one account no retry at the cost of another', () => {
    while (gate.takeRetry(placeOf('a'), caller));
    expect(gate.takeRetry(placeOf('a'), { key: 'another', account: 'another' })).toBe(true);
  });

  it('lets nothing through that no answer was fast enough for', () => {
    const first = pass(placeOf('a'));
    now += 800;
    first.answering();
    first.end({ kind: 'answered' });
    expect(gate.admit(placeOf('a'), asking({ leftMs: 799 }))).toEqual({ kind: 'late' });
    expect(gate.admit(placeOf('a'), asking({ leftMs: 800 }))).toBeInstanceOf(AttemptPass);
    now += 121_000;
    expect(gate.admit(placeOf('a'), asking({ leftMs: 1 }))).toBeInstanceOf(AttemptPass);
  });

  it('probes a deployment that has fallen silent, leaves it alone when the probes are silent too, until one that waits is answered', () => {
    const place = placeOf('a');
    for (let count = 0; count < 20; count += 1) {
      const answered = pass(place, { stream: true });
      answered.answering();
      answered.end({ kind: 'answered' });
    }
    now += 10_000;
    const waiting = [caller, other].flatMap((one) =>
      Array.from({ length: 15 }, () => pass(place, { stream: true, caller: one })),
    );
    now += 5_000;
    pass(place, { caller });
    pass(place, { caller: other });
    pass(place, { caller: other });
    expect(gate.admit(place, asking())).toEqual({ kind: 'open', waitMs: 4_000 });
    expect(gate.admit(place, asking({ alone: true }))).toBeInstanceOf(AttemptPass);
    now += 4_000;
    expect(gate.admit(place, asking({ alone: true }))).toEqual({ kind: 'open', waitMs: 5_000 });
    waiting[0]?.answering();
    expect(gate.admit(place, asking())).toBeInstanceOf(AttemptPass);
  });

  it('takes silence at a server that lets requests wait, and its word that it is busy, for no failure', () => {
    const place = placeOf('a', aProvider({ queues: true }));
    for (let count = 0; count < 20; count += 1) pass(place, { stream: true }).answering();
    now += 10_000;
    for (const one of [caller, other])
      for (let count = 0; count < 30; count += 1) pass(place, { stream: true, caller: one });
    now += 100_000;
    attempt(place, { kind: 'failed', status: 503, retryAfterS: 30 }, 20);
    expect(gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0 }]);
    expect(gate.admit(place, asking())).toBeInstanceOf(AttemptPass);
  });

  it('bounds what a server gets that lets requests wait by no refusal of its queue', () => {
    const place = placeOf('a', aProvider({ queues: true }));
    const running = [pass(place), pass(place)];
    attempt(place, refusal, 10);
    attempt(place, refusal, 10, { caller: other });
    expect(gate.report()).toMatchObject([{ concurrencyLimit: null }]);
    for (const one of running) one.end({ kind: 'answered' });
  });

  it.each([
    [false, 5_000],
    [true, 1_000],
  ])('asks a server that was away (of one’s own: %s) again after %i ms, where there is no other', (queues, waitMs) => {
    const place = placeOf('a', aProvider({ queues }));
    const alone = { alone: true };
    attempt(place, { kind: 'failed', status: null, retryAfterS: null }, 5, alone);
    for (let time = 0; time < 2; time += 1) {
      expect(gate.admit(place, asking(alone))).toEqual({ kind: 'open', waitMs });
      now += waitMs;
      attempt(place, { kind: 'failed', status: null, retryAfterS: null }, 1, alone);
    }
    now += waitMs;
    pass(place, alone).end({ kind: 'answered' });
    expect(gate.report()).toMatchObject([{ state: 'closed' }]);
  });

  it('does not leave a server that lets requests wait alone again because probes of it have to wait', () => {
    const place = placeOf('a', aProvider({ queues: true }));
    attempt(place, { kind: 'failed', status: null, retryAfterS: null }, 5);
    now += 5_000;
    const probe = pass(place);
    now += 10_000;
    expect(gate.admit(place, asking())).toBeInstanceOf(AttemptPass);
    expect(gate.report()).toMatchObject([{ state: 'half-open', timesOpened: 1 }]);
    probe.end({ kind: 'answered' });
    expect(gate.report()).toMatchObject([{ state: 'closed' }]);
  });

  it('tells how many probes of a deployment run', () => {
    const place = placeOf('a');
    attempt(place, failure, 5);
    expect(gate.report()).toMatchObject([{ state: 'open', probes: 0 }]);
    now += 5_000;
    const [first, second] = [pass(place), pass(place)];
    expect(gate.report()).toMatchObject([{ state: 'half-open', probes: 2 }]);
    second.end({ kind: 'unknown' });
    expect(gate.report()).toMatchObject([{ probes: 1 }]);
    first.end({ kind: 'answered' });
    expect(gate.report()).toMatchObject([{ state: 'closed', probes: 0 }]);
  });

  it('keeps a caller whose requests fail away, and nobody else', () => {
    const place = placeOf('a');
    attempt(place, { kind: 'answered' }, 3, { caller: other });
    attempt(place, failure, 5);
    expect(gate.admit(place, asking())).toEqual({ kind: 'open', waitMs: 5_000 });
    attempt(place, { kind: 'answered' }, 1, { caller: other });
    expect(gate.report()).toMatchObject([{ state: 'open', callers: 1, why: '500', timesOpened: 1 }]);
  });

  it('tells whether it answers nobody, where several keys of one account ask', () => {
    const place = placeOf('a');
    const colleague = { ...caller, key: 'key-of-a-colleague' };
    attempt(place, failure, 5);
    expect(gate.report()).toMatchObject([{ state: 'open', callers: 1, answersNobody: false }]);
    attempt(place, failure, 1, { caller: colleague });
    expect(gate.report()).toMatchObject([{ state: 'open', answersNobody: true }]);
    now += 5_000;
    attempt(place, failure, 1, { caller: colleague });
    expect(gate.report()).toMatchObject([{ state: 'open', answersNobody: true }]);
    attempt(place, { kind: 'answered' }, 1, { caller: other });
    expect(gate.report()).toMatchObject([{ state: 'open', answersNobody: false }]);
  });

  it('leaves a deployment alone for all once it fails for a second caller', () => {
    const place = placeOf('a');
    attempt(place, failure, 5);
    attempt(place, failure, 1, { caller: other });
    const third = { key: 'key-c', account: 'account-c' };
    expect(gate.admit(place, asking({ caller: third }))).toEqual({ kind: 'open', waitMs: 5_000 });
    expect(gate.report()).toMatchObject([{ state: 'open', callers: null }]);
    now += 5_000;
    attempt(place, { kind: 'answered' }, 1, { caller: third });
    attempt(place, { kind: 'answered' });
    expect(gate.report()).toMatchObject([{ state: 'closed', callers: 0, why: null, openForMs: null }]);
  });

  it('lets no bad probe of one caller keep the others away', () => {
    const place = placeOf('a');
    attempt(place, failure, 3);
    attempt(place, failure, 2, { caller: other });
    for (let round = 0; round < 20; round += 1) {
      now += 5_000;
      const probe = gate.admit(place, asking());
      if (!('kind' in probe)) probe.end(failure);
      expect(gate.isOpenTo(place, other)).toBe(true);
    }
  });

  it('heeds the patience that was asked of one caller for that caller alone, and only where most of what it sends is refused', () => {
    const patient: AttemptResult = { kind: 'failed', status: 429, retryAfterS: 20 };
    const place = placeOf('a');
    attempt(place, { kind: 'answered' }, 3);
    attempt(place, patient);
    expect(gate.isOpenTo(place, caller)).toBe(true);
    attempt(place, patient, 1, { caller: other });
    expect(gate.admit(place, asking({ caller: other }))).toEqual({ kind: 'open', waitMs: 20_000 });
    expect(gate.isOpenTo(place, caller)).toBe(true);
  });

  it('counts a request that fails again in the same words as its own fault while others are answered', () => {
    const place = placeOf('a');
    attempt(place, { kind: 'answered' });
    for (let request = 0; request < 20; request += 1) {
      attempt(place, failure);
      attempt(place, { kind: 'failed', status: 500, retryAfterS: null, again: true });
    }
    expect(gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0 }]);
  });

  it('opens at once for an outage in the same words, where requests of several callers fail', () => {
    const place = placeOf('a');
    attempt(place, { kind: 'answered' }, 2);
    const again: AttemptResult = { kind: 'failed', status: 500, retryAfterS: null, again: true };
    for (const one of [caller, other, caller, other]) {
      if (!gate.isOpenTo(place, one)) break;
      attempt(place, failure, 1, { caller: one });
      if (gate.isOpenTo(place, one)) attempt(place, again, 1, { caller: one });
    }
    expect(gate.report()).toMatchObject([{ state: 'open', callers: null }]);
  });

  it('sees a deployment that comes back at any moment within 35 seconds, whatever its probes do', () => {
    for (let downMs = 500; downMs < 200_000; downMs += 3_700) {
      gate = new AttemptGate(2, 100, () => now);
      const place = placeOf('a');
      const backAt = now + downMs;
      attempt(place, failure, 5);
      let used = false;
      for (; !used && now < backAt + 60_000; now += 100) {
        // While it is down it hangs: a probe never hears anything.
        const admitted = gate.admit(place, asking());
        if ('kind' in admitted || now < backAt) continue;
        admitted.answering();
        used = true;
      }
      expect(now - backAt).toBeLessThanOrEqual(35_100);
    }
  });

  it('forgets what left the catalog, and keeps the rest', () => {
    attempt(placeOf('a'), failure, 5);
    attempt(placeOf('b'), failure, 5);
    gate.retain([placeOf('b')]);
    expect(gate.report()).toMatchObject([{ deployment: 'b', state: 'open' }]);
    attempt(placeOf('a'), { kind: 'answered' });
    gate.retain([]);
    expect(gate.report()).toEqual([]);
  });
});
