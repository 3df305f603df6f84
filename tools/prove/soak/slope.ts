import { median } from '../../bench/percentiles';

/** A value at a time, hours. */
export interface Point {
  hours: number;
  value: number;
}

/** How much more a value is an hour: the estimate, and where it lies with 99 % confidence. */
export interface Slope {
  perHour: number;
  low: number;
  high: number;
}

/** What a normal distribution is beyond on either side in one of a hundred cases. */
const z99 = 2.576;
/**
 * Points are summed up to so many medians of their neighbours before: neighbouring looks are alike, and the
 * interval is one of points that know nothing of each other.
 */
const blocks = 20;

/**
 * The slope by Theil and Sen: the median of the slopes between all pairs of points, which a third of outliers
 * does not move. Its interval is Sen's, by the variance of Kendall's S without ties; fewer than five points,
 * or points of one time alone, tell nothing, so that it is infinite.
 * P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968,
 * https://doi.org/10.1080/01621459.1968.10480934
 */
export function slopeOf(points: readonly Point[]): Slope {
  const summed = inBlocks(points);
  const slopes = summed
    .flatMap((one, index) =>
      summed.slice(index + 1).map((other) => (other.value - one.value) / (other.hours - one.hours)),
    )
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const count = summed.length;
  const spread = z99 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const lowest = Math.floor((slopes.length - spread) / 2);
  const highest = Math.ceil((slopes.length + spread) / 2) - 1;
  if (count < 5 || lowest < 0) return { perHour: median(slopes), low: -Infinity, high: Infinity };
  return { perHour: median(slopes), low: slopes[lowest] ?? -Infinity, high: slopes[highest] ?? Infinity };
}

function inBlocks(points: readonly Point[]): Point[] {
  const size = Math.max(1, Math.floor(points.length / blocks));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, block) => {
    const own = points.slice(block * size, (block + 1) * size);
    return { hours: median(own.map(({ hours }) => hours)), value: median(own.map(({ value }) => value)) };
  });
}
