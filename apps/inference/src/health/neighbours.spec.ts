import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { AttemptGate, type HealthPlace } from './attempt-gate';
import type { AttemptPass, AttemptResult } from './attempt-pass';
import type { Caller } from './caller-window';

/**
 * What becomes of one request: it begins to answer after `firstMs` (null: never), and ends after `tookMs`.
 */
interface Fate {
  firstMs: number | null;
  tookMs: number;
  result: AttemptResult;
}

interface Load {
  callers: readonly Caller[];
  perSecond: number;
  bytes: number;
  fate: Fate;
  /** It begins then; at once where nothing is said. */
  fromMs?: number;
}

const tickMs = 10;
const provider = aProvider();
const place: HealthPlace = {
  deployment: { id: 'one', provider: provider.id, upstreamModel: 'one' },
  endpoint: providerEndpoint(provider, provider.baseUrl, { kind: 'none' }),
};

function callersOf(account: string, keys: number): Caller[] {
  return Array.from({ length: keys }, (_, key) => ({ key: `${account}-${key}`, account }));
}

function refused(status: number, retryAfterS: number | null, again = false): AttemptResult {
  return { kind: 'failed', status, retryAfterS, again };
}

const answered: Fate = { firstMs: 300, tookMs: 1_000, result: { kind: 'answered' } };
const victims: Load[] = [
  { callers: callersOf('victim', 1), perSecond: 10, bytes: 2_000, fate: answered },
  { callers: callersOf('bystander', 1), perSecond: 1, bytes: 2_000, fate: answered },
];

/**
 * Sends every load through one gate for `seconds`. Returns how many requests of the victim were begun, and
 * how many were not.
 */
function simulate(loads: readonly Load[], seconds: number): { begun: number; kept: number } {
  let now = 1_000_000;
  const gate = new AttemptGate(16, 100, () => now);
  /** By tick. */
  const due = new Map<number, (() => void)[]>();
  const seen = { begun: 0, kept: 0 };
  const startedAt = now;
  for (let tick = 0; tick < (seconds * 1_000) / tickMs; tick += 1, now = startedAt + tick * tickMs) {
    for (const act of due.get(tick) ?? []) act();
    due.delete(tick);
    for (const { callers, perSecond, bytes, fate, fromMs = 0 } of loads) {
      if (tick * tickMs < fromMs) continue;
      const arriving =
        Math.floor(((tick + 1) * perSecond * tickMs) / 1_000) - Math.floor((tick * perSecond * tickMs) / 1_000);
      for (let index = 0; index < arriving; index += 1) {
        const caller = callers[(tick + index) % callers.length] ?? { key: '', account: '' };
        const pass = gate.admit(place, { caller, leftMs: 900_000, stream: true, bytes, alone: true });
        if (caller.account === 'victim') seen['kind' in pass ? 'kept' : 'begun'] += 1;
        if (!('kind' in pass)) follow(pass, tick, fate);
      }
    }
  }
  return seen;

  function follow(pass: AttemptPass, tick: number, { firstMs, tookMs, result }: Fate): void {
    if (firstMs !== null) at(tick + firstMs / tickMs, () => pass.answering());
    at(tick + tookMs / tickMs, () => pass.end(result));
  }

  function at(tick: number, act: () => void): void {
    due.set(tick, [...(due.get(tick) ?? []), act]);
  }
}

describe('what others get does not depend on one caller', () => {
  const slow = { kind: 'answered' } as const;
  it.each<[string, Omit<Load, 'callers'>]>([
    [
      'makes the provider say 500',
      { perSecond: 50, bytes: 2_000, fate: { firstMs: null, tookMs: 20, result: refused(500, null) } },
    ],
    [
      'gets the same 500 twice',
      { perSecond: 50, bytes: 2_000, fate: { firstMs: null, tookMs: 20, result: refused(500, null, true) } },
    ],
    [
      'is refused by 429',
      { perSecond: 50, bytes: 2_000, fate: { firstMs: null, tookMs: 20, result: refused(429, null) } },
    ],
    [
      'is refused by 429 with a time',
      { perSecond: 50, bytes: 2_000, fate: { firstMs: null, tookMs: 20, result: refused(429, 20) } },
    ],
    [
      'is refused by 503 with a time',
      { perSecond: 50, bytes: 2_000, fate: { firstMs: null, tookMs: 20, result: refused(503, 60) } },
    ],
    ['sends long prompts', { perSecond: 2, bytes: 500_000, fate: { firstMs: 30_000, tookMs: 40_000, result: slow } }],
    [
      'runs into time limits',
      { perSecond: 2, bytes: 2_000, fate: { firstMs: null, tookMs: 60_000, result: refused(0, null) } },
    ],
    [
      'leaves at once',
      { perSecond: 50, bytes: 2_000, fate: { firstMs: null, tookMs: 10, result: { kind: 'unknown' } } },
    ],
  ])('who %s', (_what, attack) => {
    for (const keys of [1, 50]) {
      const seen = simulate([...victims, { ...attack, callers: callersOf('attacker', keys) }], 40);
      expect(seen).toEqual({ begun: 400, kept: 0 });
    }
  });

  it.each([503, 500])('who works together with another and gets %i', (status) => {
    const together = ['one', 'two'].map((name) => ({
      callers: callersOf(name, 10),
      perSecond: 50,
      bytes: 2_000,
      fate: { firstMs: null, tookMs: 20, result: refused(status, status === 503 ? 60 : null) },
      fromMs: 3_000,
    }));
    expect(simulate([...victims.slice(0, 1), ...together], 40)).toEqual({ begun: 400, kept: 0 });
  });

  it('but a provider that fails is left alone for everybody', () => {
    const down = victims.map((load) => ({ ...load, fate: { firstMs: null, tookMs: 20, result: refused(500, null) } }));
    const { begun, kept } = simulate(down, 40);
    expect(begun).toBeLessThan(60);
    expect(kept).toBe(400 - begun);
  });

  it('and one that hangs, too', () => {
    const hanging = { firstMs: null, tookMs: 60_000, result: refused(0, null) };
    const { begun, kept } = simulate(
      victims.map((load) => ({ ...load, fate: hanging })),
      120,
    );
    expect(begun).toBeLessThan(900);
    expect(begun + kept).toBe(1_200);
  });
});
