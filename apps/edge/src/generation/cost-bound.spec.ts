import { byInstant } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import { aModel } from '@tollgate/testing';
import { costBound, toolUses } from './cost-bound';

function modelWith(prices: object | null, places: object = {}) {
  const deployment = { id: 'test/model', provider: 'test', upstreamModel: 'model' };
  return aModel({
    id: 'test/model',
    prices: prices && priceSheet.parse(prices),
    deployments: [{ ...deployment, ...places }],
  });
}

const size = { input: 1_000, output: 100, hasMedia: false, uses: 0, sessions: 0 };
const plain = { input: '1', output: '2' };

describe('costBound', () => {
  it.each<[string, object, object, bigint]>([
    ['plain tokens', plain, {}, 1_200_000n],
    ['dearer writes to the cache', { ...plain, cacheWrite1h: '2' }, {}, 2_200_000n],
    ['cheaper reads from it', { ...plain, cachedInput: '0.1' }, {}, 1_200_000n],
    ['recordings where there are none', { ...plain, audioInput: '40' }, {}, 1_200_000n],
    ['recordings where there may be some', { ...plain, audioInput: '40' }, { hasMedia: true }, 40_200_000n],
    ['the price of a request', { ...plain, perRequest: '0.01' }, {}, 11_200_000n],
    [
      'the dearest tier and region',
      {
        ...plain,
        terms: {
          served: [
            { on: 'tier', value: 'priority', factor: '2' },
            { on: 'tier', value: 'flex', factor: '0.5' },
            { on: 'region', value: 'us', factor: '1.1' },
          ],
        },
      },
      {},
      2_640_000n,
    ],
    [
      'a tier with rates of its own',
      {
        ...plain,
        terms: { served: [{ on: 'tier', value: 'fast', rates: { input: '3', output: '1', longContext: [] } }] },
      },
      {},
      3_200_000n,
    ],
    [
      'the dearest hour',
      { ...plain, terms: { hours: [{ days: [1], from: '01:00', to: '04:00', factor: '2' }] } },
      {},
      2_400_000n,
    ],
    [
      'a step of the price that the input reaches',
      { ...plain, longContext: [{ input: '5', output: '6', aboveInputTokens: 500 }] },
      {},
      5_600_000n,
    ],
    [
      'one that it does not reach',
      { ...plain, longContext: [{ input: '5', output: '6', aboveInputTokens: 1_000 }] },
      {},
      1_200_000n,
    ],
    [
      'tools of the provider',
      { ...plain, terms: { units: { webSearch: '0.01', codeSession: '0.03' } } },
      { uses: 10, sessions: 1 },
      131_200_000n,
    ],
  ])('counts %s', (_what, prices, changes, nanos) => {
    expect(costBound([modelWith(prices)], { ...size, ...changes })).toBe(nanos);
  });

  it('is that of the dearest place, with its markup', () => {
    expect(costBound([modelWith(plain), modelWith({ input: '2', output: '2' })], size)).toBe(2_200_000n);
    expect(costBound([modelWith(plain, { markup: '0.5' })], size)).toBe(1_800_000n);
    expect(costBound([modelWith(plain, { discount: byInstant, dearestMarkup: '1' })], size)).toBe(2_400_000n);
  });

  it('is that of the dearer price around the instant at which another one begins', () => {
    const pricesBeside = [priceSheet.parse({ input: '3', output: '1', perRequest: '0.01' })];
    expect(costBound([{ ...modelWith(plain), pricesBeside }], size)).toBe(13_200_000n);
    const cheaper = [priceSheet.parse({ input: '0.5', output: '0.5' })];
    expect(costBound([{ ...modelWith(plain), pricesBeside: cheaper }], size)).toBe(1_200_000n);
    expect(costBound([{ ...modelWith(null), pricesBeside }], size)).toBeNull();
  });

  it('is not known where a place has no price', () => {
    expect(costBound([modelWith(plain), modelWith(null)], size)).toBeNull();
  });
});

describe('toolUses', () => {
  const of = (parsed: unknown, needs: 'tools'[] = []) => {
    const read = { model: 'm', stream: false, includeUsage: false, maxOutputTokens: null };
    return toolUses({ parsed, read: { ...read, inputTokensEstimate: 1, mediaTokens: 0, needs } });
  };

  it('counts tools of providers alone, by their own limit where they have one', () => {
    expect(of({ tools: [{ type: 'function' }, { name: 'mine' }] })).toEqual({ uses: 0, sessions: 0 });
    expect(of({ tools: [{ type: 'web_search_20250305', max_uses: 3 }] })).toEqual({ uses: 3, sessions: 0 });
    expect(of({ tools: [{ type: 'web_search' }, { type: 'code_interpreter' }] })).toEqual({ uses: 20, sessions: 1 });
    expect(of({ web_search_options: {} })).toEqual({ uses: 10, sessions: 0 });
  });

  it('assumes some of a body that was not parsed here, where it has tools', () => {
    expect(of(null)).toEqual({ uses: 0, sessions: 0 });
    expect(of(null, ['tools'])).toEqual({ uses: 10, sessions: 1 });
  });
});
