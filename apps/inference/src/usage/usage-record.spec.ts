import { noUsage, type UsageEvent } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import type { Route } from '../routing/route-table';
import { aModel, aProvider, aRequest } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { type TokenCount, UsageRecord } from './usage-record';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const bySecond = { input: '0', output: '0', terms: { units: { second: '0.0004' } } };

const charged = { isCharged: true, before: null, inputTokens: 0 };
const lost = { input: null, output: 0, estimated: true };

function aRoute(prices: object | null): Route {
  const provider = aProvider();
  const model = aModel({ prices: prices && priceSheet.parse(prices) });
  const [deployment] = model.deployments;
  return { model, deployment, endpoint: providerEndpoint(provider, provider.baseUrl, { kind: 'none' }) } as Route;
}

/** What is booked of an answer that took so long. */
function bookedAfter(milliseconds: number, prices: object | null, facts: Partial<UsageEvent> = {}, output = 5) {
  const route = aRoute(prices);
  const record = new UsageRecord(aRequest());
  const end = record.beginAttempt(route, 1);
  jest.advanceTimersByTime(milliseconds);
  end(200, null);
  const tokens = { usage: { ...noUsage, output }, estimated: false } as TokenCount;
  const event = { state: 'completed' as const, status: 200, firstTokenAt: null, ...facts };
  return record.event(event, { route, number: 1 }, tokens, charged).usage.served;
}

describe('the seconds of an answer', () => {
  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [90_500, 91],
  ])('are booked where the price of the model is by them: of %d ms, %d', (milliseconds, seconds) => {
    expect(bookedAfter(milliseconds, bySecond)).toEqual({ units: { second: seconds } });
  });

  it('are not booked where no price asks for them, nor of what failed without a token', () => {
    expect(bookedAfter(2_000, { input: '1', output: '1' })).toBeUndefined();
    expect(bookedAfter(2_000, null)).toBeUndefined();
    expect(bookedAfter(2_000, bySecond, { state: 'failed', status: 502 }, 0)).toBeUndefined();
  });

  it('are booked of an answer that was left after it began', () => {
    expect(bookedAfter(2_000, bySecond, { state: 'cancelled', status: 499 })).toEqual({ units: { second: 2 } });
  });
});

it('what is not charged stands at the attempt that would be, and the seconds are its own, whichever ended last', () => {
  const route = aRoute(bySecond);
  const record = new UsageRecord(aRequest());
  const ends = [1, 2].map((number) => record.beginAttempt(route, number));
  jest.advanceTimersByTime(2_500);
  ends[0]?.(200, 'empty_answer', {}, lost);
  jest.advanceTimersByTime(5_500);
  ends[1]?.(null, 'outrun', {}, lost);
  const tokens = { usage: { ...noUsage, input: 11, output: 3 }, estimated: false };
  const facts = { state: 'failed' as const, status: 502, firstTokenAt: null };
  const how = { isCharged: false, before: null, inputTokens: 11 };
  const free = record.event(facts, { route, number: 1 }, tokens, how);
  expect(free.usage).toEqual(noUsage);
  expect(free.attempts.map(({ unbilled }) => unbilled)).toEqual([
    { input: 11, output: 3 },
    { input: 11, output: 0, estimated: true },
  ]);
  const paid = record.event(facts, { route, number: 1 }, tokens, { ...how, isCharged: true });
  expect(paid.usage).toMatchObject({ input: 11, output: 3, served: { units: { second: 3 } } });
  expect(paid.attempts.map(({ unbilled }) => unbilled)).toEqual([undefined, { input: 11, output: 0, estimated: true }]);
});
