import { noUsage, priceSheet, type UsageEvent } from '@tollgate/contracts';
import type { Route } from '../routing/route-table';
import { aModel, aProvider, aRequest } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import type { TokenCount } from './token-count';
import { UsageRecord } from './usage-record';

afterEach(() => jest.restoreAllMocks());

const bySecond = { input: '0', output: '0', terms: { units: { second: '0.0004' } } };

/** What is booked of an answer that took so long. */
function bookedAfter(milliseconds: number, prices: object | null, facts: Partial<UsageEvent> = {}, output = 5) {
  const provider = aProvider();
  const model = aModel({ prices: prices && priceSheet.parse(prices) });
  const [deployment] = model.deployments;
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  const route = { model, deployment, endpoint } as Route;
  const record = new UsageRecord(aRequest());
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const end = record.beginAttempt(route);
  now.mockReturnValue(1_000 + milliseconds);
  end(200, null);
  const tokens = { usage: { ...noUsage, output }, estimated: false } as TokenCount;
  return record.event({ state: 'completed', status: 200, firstTokenAt: null, ...facts }, route, tokens).usage.served;
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
