import { addSums, noSums, readPoints } from './written-points';

const zeros = '0/0/0/0/0/0/0/0/0/0';
const nothing = { from: 0, counts: [] };

describe('points as Postgres writes them', () => {
  it('are read with costs of any size, and histograms from their first bucket on', () => {
    const points = readPoints(
      '20000/17/1/2/3/4/5/6/7/8/9/10/12345678901234567890123/[30:32]={5,0,2}/{7}|20002/1/' + zeros + '/-5/{}/{}',
      () => true,
    );
    expect(points).toEqual([
      {
        day: 20_000,
        requests: 17,
        failed: 1,
        cancelled: 2,
        fromCache: 3,
        unpriced: 4,
        input: 5,
        output: 6,
        cached: 7,
        reasoning: 8,
        streamedTokens: 9,
        streamedMs: 10,
        cost: 12_345_678_901_234_567_890_123n,
        latency: { from: 29, counts: [5, 0, 2] },
        first: { from: 0, counts: [7] },
      },
      { ...noSums(), day: 20_002, requests: 1, cost: -5n },
    ]);
  });

  it('are passed over where their day is not wanted', () => {
    const text = [1, 2, 3].map((day) => `${day}/${day}/${zeros}/0/{}/{}`).join('|');
    expect(readPoints(text, (day) => day === 2).map(({ requests }) => requests)).toEqual([2]);
    expect(readPoints('', () => true)).toEqual([]);
  });

  it('add up, and are taken out, whatever bucket they begin with', () => {
    const sums = noSums();
    const later = { ...noSums(), requests: 3, cost: 10n, latency: { from: 5, counts: [1, 2] } };
    const earlier = {
      ...noSums(),
      requests: 4,
      cost: 7n,
      latency: { from: 3, counts: [4] },
      first: { from: 1, counts: [1] },
    };
    addSums(sums, later);
    addSums(sums, earlier);
    expect(sums).toMatchObject({ requests: 7, cost: 17n, latency: { from: 3, counts: [4, 0, 1, 2] } });
    addSums(sums, later, -1);
    expect(sums).toMatchObject({
      requests: 4,
      cost: 7n,
      latency: { from: 3, counts: [4, 0, 0, 0] },
      first: { from: 1, counts: [1] },
    });
    expect(later.latency).toEqual({ from: 5, counts: [1, 2] });
    expect(noSums().first).toEqual(nothing);
  });
});
