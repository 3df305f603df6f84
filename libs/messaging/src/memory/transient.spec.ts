import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TransientMap } from './transient';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

interface Entries {
  set(key: number, value: unknown): unknown;
  delete(key: number): unknown;
}

describe('TransientMap', () => {
  it('does what a Map does, in its order', () => {
    const entries = new TransientMap<string, number>();
    entries.set('a', 1);
    entries.set('b', 2);
    entries.set('a', 3);

    expect([...entries]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect([...entries.keys()]).toEqual(['a', 'b']);
    expect([...entries.values()]).toEqual([3, 2]);
    expect([entries.size, entries.get('b'), entries.has('c'), entries.get('c')]).toEqual([2, 2, false, undefined]);
    expect([entries.delete('a'), entries.delete('a'), entries.size]).toEqual([true, false, 1]);

    entries.clear();
    expect([entries.size, ...entries]).toEqual([0]);
  });

  it('loses nothing when it leaves a table, also under a loop that deletes', () => {
    const entries = new TransientMap<number, number>();
    for (let key = 0; key < 1_000; key++) entries.set(key, key);
    for (const [key] of entries) if (key % 10 !== 0) entries.delete(key);

    expect([...entries.keys()]).toEqual(Array.from({ length: 100 }, (_, index) => index * 10));
  });

  it('holds nothing that was deleted over collections of young objects, as a Map does', () => {
    // Others of this process grow, and are collected, too: what a map itself does is seen in most rounds.
    const ofMap = usually(() => grownBy(new Map()));

    expect(ofMap).toBeGreaterThan((5_000 * 100 * 8) / 8);
    expect(usually(() => grownBy(new TransientMap()))).toBeLessThan(ofMap / 3);
  });
});

/** The middle one of three. */
function usually(measure: () => number): number {
  const [, middle = NaN] = [measure(), measure(), measure()].sort((one, other) => one - other);
  return middle;
}

/** Bytes of old objects that come of five thousand values of 100 places each, 20 at a time. */
function grownBy(entries: Entries): number {
  for (let key = -20; key < 0; key++) entries.set(key, []);
  collect();
  const before = oldObjects();
  for (let key = 0; key < 5_000; key++) {
    entries.set(key, new Array(100).fill(key));
    entries.delete(key - 20);
    if (key % 100 === 99) collect({ type: 'minor' });
  }
  return oldObjects() - before;
}

function oldObjects(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}
