import { addSums, noSums, readPoints, readRequests } from './written-points';
import type { Sums, WrittenPoint } from './written-points';

const zeros = '0/0/0/0/0/0/0/0/0/0';
const nothing = { from: 0, length: 0, counts: [] };

function pointsIn(text: string, isWanted?: (day: number) => boolean): WrittenPoint[] {
  const points: WrittenPoint[] = [];
  const cut = ({ from, length, counts }: Sums['latency']) => ({ from, length, counts: counts.slice(0, length) });
  readPoints(
    text,
    (point) => points.push({ ...point, latency: cut(point.latency), first: cut(point.first) }),
    isWanted,
  );
  return points;
}

function timesOf(from: number, counts: number[]): Sums['latency'] {
  return { from, length: counts.length, counts };
}

describe('points as Postgres writes them', () => {
  it('are read with costs of any size, and histograms from their first bucket on', () => {
    const points = pointsIn(
      '20000/17/1/2/3/4/5/6/7/8/9/10/12345678901234567890123/[30:32]={5,0,2}/{7}|20002/1/' + zeros + '/-5/{}/{}',
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
        latency: timesOf(29, [5, 0, 2]),
        first: timesOf(0, [7]),
      },
      { ...noSums(), day: 20_002, requests: 1, cost: -5n },
    ]);
  });

  it('are passed over where their day is not wanted', () => {
    const text = [1, 2, 3].map((day) => `${day}/${day}/${zeros}/0/{}/{}`).join('|');
    expect(pointsIn(text, (day) => day === 2).map(({ requests }) => requests)).toEqual([2]);
    expect(pointsIn('')).toEqual([]);
    const found: number[][] = [];
    readRequests(text, (day, requests) => found.push([day, requests]));
    expect(found).toEqual([1, 2, 3].map((day) => [day, day]));
  });

  it('add up, and are taken out, whatever bucket they begin with', () => {
    const sums = noSums();
    const later = { ...noSums(), requests: 3, cost: 10n, latency: timesOf(5, [1, 2]) };
    const earlier = {
      ...noSums(),
      requests: 4,
      cost: 7n,
      latency: timesOf(3, [4]),
      first: timesOf(1, [1]),
    };
    addSums(sums, later);
    addSums(sums, earlier);
    expect(sums).toMatchObject({ requests: 7, cost: 17n, latency: timesOf(3, [4, 0, 1, 2]) });
    addSums(sums, later, -1);
    expect(sums).toMatchObject({
      requests: 4,
      cost: 7n,
      latency: timesOf(3, [4, 0, 0, 0]),
      first: timesOf(1, [1]),
    });
    expect(later.latency).toEqual(timesOf(5, [1, 2]));
    expect(noSums().first).toEqual(nothing);
  });
});
