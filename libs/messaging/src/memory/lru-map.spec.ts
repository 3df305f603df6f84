import { LruMap } from './lru-map';

describe('a bounded map', () => {
  it('drops the entry that was used longest ago', () => {
    const map = new LruMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.peek('a'), map.peek('b'), map.peek('c')]).toEqual([1, undefined, 3]);
    expect(map.size).toBe(2);
  });
});
