import { sliceDimensions } from '@tollgate/contracts/metering';
import { metricsBody } from './metrics.controller';
import { metricsAnswer } from './report-shapes';

const counters = { requests: 1, unpricedRequests: 0, inputTokens: 2, outputTokens: 3 };

describe('the metrics report', () => {
  it.each([
    ['0', '0'],
    ['1', '0.000000001'],
    ['-1500000000', '-1.5'],
    ['90071992547409930000000001', '90071992547409930.000000001'],
  ])('tells %s nano-dollars as %s, to the last digit', (costNanoUsd, decimal) => {
    const totals = { ...counters, costNanoUsd };
    const text = metricsBody(
      'day',
      { startAt: 0, endAt: 1, totals, byModel: [{ model: 'a/b', ...totals }] },
      () => null,
    );
    expect(text.match(/"cost_usd":([-\d.]+)/g)).toEqual([`"cost_usd":${decimal}`, `"cost_usd":${decimal}`]);
  });

  it.each(sliceDimensions)('has the shape of the contract where it is divided by %s, or restricted to one', (by) => {
    const totals = { ...counters, costNanoUsd: '5' };
    const sliced = { slices: [{ name: 'ann', ...totals }], other: totals, none: totals };
    for (const dividedBy of [by, undefined]) {
      const text = metricsBody('day', { startAt: 0, endAt: 1, totals, byModel: [], sliced }, () => null, dividedBy);
      expect(metricsAnswer.strict().safeParse(JSON.parse(text)).error).toBeUndefined();
    }
  });

  it('has the shape of the contract', () => {
    const totals = { ...counters, costNanoUsd: '5' };
    const text = metricsBody(
      'month',
      {
        startAt: 0,
        endAt: 1,
        totals,
        byModel: [
          { model: 'a/b', ...totals },
          { model: 'a/c', ...totals },
        ],
      },
      (id) =>
        id === 'a/b'
          ? { day: '2026-07-02', old: true, unconfirmed: false }
          : { day: null, old: false, unconfirmed: true },
    );
    expect(JSON.parse(text).by_model).toEqual([
      expect.objectContaining({
        model: 'a/b',
        prices_as_of: '2026-07-02',
        prices_old: true,
        prices_unconfirmed: false,
      }),
      expect.objectContaining({ model: 'a/c', prices_unconfirmed: true }),
    ]);
    expect(text.match(/prices_old/g)).toHaveLength(1);
    expect(metricsAnswer.strict().safeParse(JSON.parse(text)).error).toBeUndefined();
  });
});
