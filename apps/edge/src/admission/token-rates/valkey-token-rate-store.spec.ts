import { Registry } from 'prom-client';
import { FakeClock } from '../../testing/fake-clock';
import { LimitMetrics } from '../valkey/limit-metrics';
import type { TokenAnswer } from './token-scripts';
import { ValkeyTokenRateStore } from './valkey-token-rate-store';

const clock = new FakeClock();
const standing = {
  isShared: true,
  edgesOfLastMinute: 2,
  unknownUntilMs: -Infinity,
  isDeaf: false,
  /** Whether Valkey is back as soon as somebody waits for it. */
  isBackSoon: false,
  sharedSoon(): Promise<boolean> {
    this.isShared ||= this.isBackSoon;
    return Promise.resolve(this.isShared);
  },
};
/** A Valkey that has room for 100 tokens of any limit. */
const log = {
  currentRun: 'run' as string | null,
  taken: 0,
  isAnswering: true,
  last: { member: '', tokens: 0 },
  takeTokens(_name: string, _limit: number, tokens: number, member: string): Promise<TokenAnswer> {
    const admitted = this.taken + tokens <= 100;
    if (admitted) this.taken += tokens;
    this.last = { member, tokens };
    if (!this.isAnswering) return Promise.reject(new Error('it is away'));
    return Promise.resolve({ admitted, total: this.taken, resetMs: 60_000, retryAfterMs: admitted ? 0 : 60_000 });
  },
  settleTokens(_name: string, member: string, tokens: number): Promise<void> {
    if (member === this.last.member) this.taken += tokens - this.last.tokens;
    return Promise.resolve();
  },
  addTokens: () => Promise.resolve(),
};
const registry = new Registry();
const store = new ValkeyTokenRateStore('one', log, standing, clock, new LimitMetrics(registry));

const admits = async (tokens: number) => (await store.take('key', 100, tokens)).admitted;
const decided = async () => {
  const metric = await registry.getSingleMetric('edge_token_rate_decisions_total')?.get();
  return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [String(labels.by), value]));
};

it('counts who decided about tokens a minute, and takes its share while Valkey is away', async () => {
  expect([await admits(60), await admits(60), await admits(60)]).toEqual([true, false, false]);
  expect(await decided()).toEqual({ valkey: 2, memory: 1 });
  standing.isShared = false;
  log.currentRun = null;
  clock.advance(60_001);
  expect([await admits(50), await admits(1)]).toEqual([true, false]);
  expect(await decided()).toEqual({ valkey: 2, memory: 1, share: 2 });
});

it('asks Valkey for what its share has no room for, where that is back soon', async () => {
  clock.advance(60_001);
  Object.assign(log, { taken: 0, currentRun: 'run' });
  standing.isShared = true;
  expect(await admits(40)).toBe(true);
  for (const tokens of [60, 41]) {
    Object.assign(standing, { isShared: false, isBackSoon: true });
    // Its share is 50, of which 40 are taken; Valkey has 60 left, and then none.
    expect(await admits(tokens)).toBe(tokens === 60);
  }
  Object.assign(standing, { isShared: false, isBackSoon: false });
  log.currentRun = null;
});

it('asks Valkey once more, and no further, when it goes away while it is asked', async () => {
  clock.advance(60_001);
  standing.isShared = true;
  log.isAnswering = false;
  const asked = jest.spyOn(log, 'takeTokens');
  expect(await admits(50)).toBe(true);
  expect(await admits(51)).toBe(false);
  expect(asked).toHaveBeenCalledTimes(3);
  asked.mockRestore();
  log.isAnswering = true;
  standing.isShared = false;
});

it('leaves nothing in Valkey of a request that it did not answer', async () => {
  clock.advance(60_001);
  Object.assign(log, { taken: 0, currentRun: 'run', isAnswering: false });
  standing.isShared = true;
  expect(await admits(40)).toBe(true);
  expect(log.taken).toBe(40);
  log.isAnswering = true;
  await store.putInto();
  expect(log.taken).toBe(0);
  standing.isShared = false;
  log.currentRun = null;
});

it('takes nothing by itself while it does not hear itself', async () => {
  clock.advance(60_001);
  standing.isDeaf = true;
  expect(await store.take('key', 100, 1)).toEqual({ admitted: false, retryAfterMs: null });
  standing.isDeaf = false;
  expect(await admits(1)).toBe(true);
});

it('takes nothing by itself while it does not know which edges there were', async () => {
  clock.advance(60_001);
  standing.unknownUntilMs = clock.monotonicMs() + 1_000;
  expect(await admits(1)).toBe(false);
  clock.advance(6_001);
  expect(await admits(1)).toBe(true);
});
