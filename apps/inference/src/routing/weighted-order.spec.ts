import { weightedOrder, type Weighted } from './weighted-order';

const callers = Array.from({ length: 8_000 }, (_, index) => `key_${index} acme/one`);

function choices(weights: Record<string, number>): Weighted<string>[] {
  return Object.entries(weights).map(([name, weight]) => ({ choice: name, name, weight }));
}

/** Which part of the callers has this first choice. */
function shareOf(name: string, list: Weighted<string>[]): number {
  return callers.filter((caller) => weightedOrder(list, caller)[0] === name).length / callers.length;
}

describe('the weighted order of a caller', () => {
  it.each<[Record<string, number>]>([
    [{ a: 1, b: 1 }],
    [{ a: 3, b: 1 }],
    [{ a: 5, b: 3, c: 2 }],
    [{ 'openai:gpt-4.1': 90, 'azure:gpt-4.1': 10 }],
    [{ a: 0.5, b: 0.25, c: 0.25, d: 1 }],
  ])('shares the callers out by weight, within three in two hundred: %j', (weights) => {
    const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    for (const [name, weight] of Object.entries(weights)) {
      expect(Math.abs(shareOf(name, choices(weights)) - weight / all)).toBeLessThan(0.015);
    }
  });

  it('is always the same for one caller, however the choices are listed', () => {
    const list = choices({ a: 2, b: 1, c: 4 });
    for (const caller of callers.slice(0, 200)) {
      expect(weightedOrder([...list].reverse(), caller)).toEqual(weightedOrder(list, caller));
    }
  });

  it('moves only the callers of a choice that leaves, and they go by weight', () => {
    const all = choices({ a: 2, b: 1, c: 1 });
    const left = all.filter(({ name }) => name !== 'a');
    const moved: string[] = [];
    for (const caller of callers) {
      const before = weightedOrder(all, caller);
      const after = weightedOrder(left, caller);
      expect(after).toEqual(before.filter((name) => name !== 'a'));
      if (before[0] === 'a' && after[0]) moved.push(after[0]);
    }
    expect(moved.filter((name) => name === 'b').length / moved.length).toBeCloseTo(0.5, 1);
  });

  it('moves no more callers than the share of a choice whose weight grows', () => {
    const before = choices({ a: 1, b: 1 });
    const after = choices({ a: 1, b: 2 });
    const first = callers.map((caller) => [weightedOrder(before, caller)[0], weightedOrder(after, caller)[0]]);
    const moved = first.filter(([one, other]) => one !== other);
    expect(moved.every(([one, other]) => one === 'a' && other === 'b')).toBe(true);
    expect(moved.length / callers.length).toBeCloseTo(2 / 3 - 1 / 2, 1);
  });

  it('puts what has no weight behind all others', () => {
    const list = choices({ spare: 0, a: 1, reserve: 0, b: 0.001 });
    for (const caller of callers.slice(0, 500)) {
      expect(weightedOrder(list, caller).slice(0, 2).sort()).toEqual(['a', 'b']);
    }
  });
});
