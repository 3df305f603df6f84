import { rateLimitHeaders } from './rate-limit-headers';

const state = { admitted: true, limit: 60, remaining: 59, resetMs: 59_999, retryAfterMs: 0, unit: 1 };
const quota = { used: 400, quota: 1_000, remaining: 600, resetsAt: 90_500 };

describe('the rate-limit headers', () => {
  it('tell requests and tokens, with times in whole seconds rounded up', () => {
    expect(rateLimitHeaders(state, { quota, tokens: null }, 0)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '60s',
      'ratelimit-policy': '"requests";q=60;w=60',
      ratelimit: '"requests";r=59;t=60',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '600',
      'x-ratelimit-reset-tokens': '91s',
    });
  });

  it('tell of the month and the minute the limit that has less left', () => {
    const told = (remaining: number) => {
      const tokens = { limit: 5_000, remaining, resetMs: 59_001 };
      const headers = rateLimitHeaders({ ...state, limit: null }, { quota, tokens }, 0);
      return ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}-tokens`]);
    };
    expect(told(600)).toEqual(['5000', '600', '60s']);
    expect(told(601)).toEqual(['1000', '600', '91s']);
  });

  it('leave out what is unlimited or not known', () => {
    expect(rateLimitHeaders({ ...state, limit: null }, { quota: null, tokens: null }, 0)).toEqual({});
  });
});
