import { countedFields, nanoPerDollar, readPoints } from './written-points';
import type { Times } from './written-points';

const zeros = '0/0/0/0/0/0/0/0/0/0';

interface Read {
  day: number;
  numbers: number[];
  latency: [number, number[]];
  first: [number, number[]];
}

function pointsIn(text: string, isWanted: (day: number) => boolean = () => true): Read[] {
  const points: Read[] = [];
  const cut = ({ from, to, counts }: Times): [number, number[]] => [from, [...counts.slice(0, to - from)]];
  readPoints(
    text,
    (day) => (isWanted(day) ? { day } : undefined),
    ({ day, numbers, latency, first }, wanted) => {
      expect(wanted).toEqual({ day });
      points.push({ day, numbers: [...numbers], latency: cut(latency), first: cut(first) });
    },
  );
  return points;
}

describe('points as Postgres writes them', () => {
  it('are read with what is counted in its order, and histograms from their first bucket on', () => {
    const points = pointsIn(
      '20000/17/1/2/3/4/5/6/7/8/9/10/1234567890123/[30:32]={5,0,2}/{7}|20002/1/' + zeros + '/-5/{}/{}',
    );
    const nothing = countedFields.slice(1).map(() => 0);
    expect(points).toEqual([
      {
        day: 20_000,
        numbers: [17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_234, 567_890_123],
        latency: [29, [5, 0, 2]],
        first: [0, [7]],
      },
      { day: 20_002, numbers: [1, ...nothing, -0, -5], latency: [0, []], first: [0, []] },
    ]);
  });

  it.each([
    0n,
    -1n,
    999_999_999n,
    1_000_000_000n,
    -1_000_000_001n,
    999_999_999_999_999n,
    -999_999_999_999_999n,
    9_223_372_036_854_775_807n,
    -9_223_372_036_854_775_808n,
    12_345_678_901_234_567_890_123n,
  ])('are read with a cost of %s nano-dollars', (cost) => {
    const [point] = pointsIn(`1/1/${zeros}/${cost}/{}/{}`);
    const [dollars = 0, nano = 0] = point?.numbers.slice(countedFields.length) ?? [];
    expect(Math.abs(nano)).toBeLessThan(nanoPerDollar);
    expect(BigInt(dollars) * BigInt(nanoPerDollar) + BigInt(nano)).toBe(cost);
  });

  it('are passed over where their day is not wanted', () => {
    const text = [1, 2, 3].map((day) => `${day}/${day}/${zeros}/0/{}/{}`).join('|');
    expect(pointsIn(text, (day) => day === 2).map(({ numbers }) => numbers[0])).toEqual([2]);
    expect(pointsIn('')).toEqual([]);
  });

  it.each([
    ['holds a null', `5/1/${zeros}/5/{1,NULL,2}/{3}`],
    ['ends within a histogram', `5/1/${zeros}/5/{1,2`],
    ['ends before its histograms', `5/1/${zeros}/5`],
    ['lacks a number', `5/1${zeros.slice(1)}/5/{}/{}`],
    ['has a bucket too many', `5/1/${zeros}/5/[60:68]={1,1,1,1,1,1,1,1,1}/{}`],
  ])('are refused where one %s, whatever was read before', (_, broken) => {
    pointsIn(`1/1/${zeros}/7/{}/{}|`.repeat(20));
    expect(() => pointsIn(`4/4/${zeros}/4/{4}/{}|${broken}`)).toThrow('not as Postgres writes them');
  });
});
