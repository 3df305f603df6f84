import type { ProviderDefinition } from '@tollgate/contracts';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { AttemptGate, type HealthPlace } from './attempt-gate';
import { AttemptPass, type AttemptResult } from './attempt-pass';

const plenty = 1_000_000;
const failure: AttemptResult = { kind: 'failed', status: 500, retryAfterS: null };
const refusal: AttemptResult = { kind: 'failed', status: 429, retryAfterS: null };
let now: number;
let gate: AttemptGate;

beforeEach(() => {
  now = 1_000;
  gate = new AttemptGate(2, () => now);
});

function placeOf(id: string, provider: ProviderDefinition = aProvider()): HealthPlace {
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  return { deployment: { id, provider: provider.id, upstreamModel: id }, endpoint };
}

/** @throws Error when the attempt is not let through. */
function pass(place: HealthPlace): AttemptPass {
  const admitted = gate.admit(place, plenty, false);
  if ('kind' in admitted) throw new Error(admitted.kind);
  return admitted;
}

function attempt(place: HealthPlace, result: AttemptResult, times = 1): void {
  for (let count = 0; count < times; count += 1) pass(place).end(result);
}

describe('the gate of attempts', () => {
  it('keeps the deployments of one provider apart', () => {
    attempt(placeOf('a'), failure, 5);
    expect(gate.admit(placeOf('a'), plenty, false)).toEqual({ kind: 'open', waitMs: 5_000 });
    expect(gate.isOpenTo(placeOf('a'))).toBe(false);
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

  it('shares one limit of concurrency among the deployments at one address', () => {
    const running = [pass(placeOf('a')), pass(placeOf('a')), pass(placeOf('b'))];
    attempt(placeOf('a'), refusal);
    expect(gate.report()).toMatchObject([{ concurrencyLimit: 2 }, { concurrencyLimit: 2 }]);
    expect(gate.admit(placeOf('b'), plenty, false)).toEqual({ kind: 'full' });
    const elsewhere = aProvider({ id: 'beta', baseUrl: 'http://127.0.0.1:10' });
    attempt(placeOf('c', elsewhere), { kind: 'answered' });
    for (const one of running) one.end({ kind: 'answered' });
    attempt(placeOf('b'), { kind: 'answered' });
  });

  it('is not closed by the end of an answer that began before it opened again', () => {
    attempt(placeOf('a'), failure, 5);
    now += 5_000;
    const probe = pass(placeOf('a'));
    probe.answering();
    attempt(placeOf('a'), failure, 5);
    probe.end({ kind: 'answered' });
    expect(gate.isOpenTo(placeOf('a'))).toBe(false);
  });

  it('grants no retry at a deployment that is left alone, nor beyond the budget of the provider', () => {
    const granted = Array.from({ length: 20 }, () => gate.takeRetry(placeOf('a'))).filter(Boolean);
    expect(granted).toHaveLength(10);
    now += 3_600_000;
    attempt(placeOf('b'), failure, 5);
    expect(gate.takeRetry(placeOf('b'))).toBe(false);
    expect(gate.takeRetry(placeOf('a'))).toBe(true);
  });

  it('lets nothing through that no answer was fast enough for', () => {
    const first = pass(placeOf('a'));
    now += 800;
    first.answering();
    first.end({ kind: 'answered' });
    expect(gate.admit(placeOf('a'), 799, false)).toEqual({ kind: 'late' });
    expect(gate.admit(placeOf('a'), 800, false)).toBeInstanceOf(AttemptPass);
    now += 121_000;
    expect(gate.admit(placeOf('a'), 1, false)).toBeInstanceOf(AttemptPass);
  });

  it('leaves a deployment alone that has fallen silent, until one of those that wait is answered', () => {
    for (let count = 0; count < 20; count += 1) {
      const answered = gate.admit(placeOf('a'), plenty, true);
      if ('kind' in answered) throw new Error(answered.kind);
      answered.answering();
      answered.end({ kind: 'answered' });
    }
    now += 10_000;
    const waiting = Array.from({ length: 30 }, () => gate.admit(placeOf('a'), plenty, true));
    now += 5_000;
    expect(gate.admit(placeOf('a'), plenty, true)).toEqual({ kind: 'open', waitMs: 5_000 });
    const [first] = waiting;
    if (first && !('kind' in first)) first.answering();
    expect(gate.admit(placeOf('a'), plenty, true)).toBeInstanceOf(AttemptPass);
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
