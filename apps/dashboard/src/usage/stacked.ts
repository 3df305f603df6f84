/**
 * Each line raised by those after it, so that drawn in this order every one covers the lower part of the one
 * before.
 */
export function stacked(lines: (number | null)[][]): number[][] {
  const raised: number[][] = [];
  let below: number[] = [];
  for (const line of [...lines].reverse()) {
    const before = below;
    below = line.map((value, index) => (value ?? 0) + (before[index] ?? 0));
    raised.unshift(below);
  }
  return raised;
}
