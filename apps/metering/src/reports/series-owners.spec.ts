import type { DayPiece } from './series-days';
import { inTurns } from './series-owners';
import type { OwnersCut } from './series-owners';

const dayMs = 86_400_000;
const piecesOf = (count: number): DayPiece[] =>
  Array.from({ length: count }, (_, day) => ({
    ...{ day: day * dayMs, until: 1_440, step: day * dayMs },
    ...{ sign: 1, build: 1n, inPoints: true },
  }));
const cutOf = (names: string[], count: number): OwnersCut => ({
  ...{ names, own: new Set(), builds: new Map() },
  ...{ pieces: piecesOf(count), parts: [], byMinute: [] },
});
const read = (cuts: OwnersCut[], most: number) =>
  inTurns(cuts, most).map((turn) => turn.map(({ names, pieces }) => `${names.join(' ')}: ${pieces.length}`));

describe('lines of owners', () => {
  it('are read by turns of so many pieces, those of the same days together', () => {
    const cuts = [cutOf(['a', 'b', 'c', 'd', 'e'], 4), cutOf(['f'], 1), cutOf(['g'], 20), cutOf(['h'], 1)];
    expect(read(cuts, 8)).toEqual([['a b: 4'], ['c d: 4'], ['e: 4', 'f: 1', 'g: 20'], ['h: 1']]);
    expect(read(cuts, 1_000)).toEqual([['a b c d e: 4', 'f: 1', 'g: 20', 'h: 1']]);
  });

  it('are read, each once, where they have no pieces, and not at all where there is nobody', () => {
    expect(read([cutOf(['a', 'b'], 0)], 8)).toEqual([['a b: 0']]);
    expect(read([], 8)).toEqual([]);
  });
});
