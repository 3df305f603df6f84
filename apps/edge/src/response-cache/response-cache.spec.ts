import type { KeptAnswer } from './kept-answer';
import { ResponseCache } from './response-cache';

const answer = (bytes: number): KeptAnswer => ({ head: { status: 200, headers: {} }, id: null, pieces: [], bytes });

describe('the response cache', () => {
  it('gives an answer with its age, until its time is over', () => {
    const cache = new ResponseCache(10_000);
    const kept = answer(10);
    cache.keep('a', kept, 1_000, 500);
    expect(cache.find('a', 1_499)).toEqual({ answer: kept, ageMs: 499 });
    expect(cache.find('a', 1_500)).toBeNull();
    expect(cache.bytes).toBe(0);
    expect(cache.find('b', 0)).toBeNull();
  });

  it('holds no more than its memory: the one used longest ago goes', () => {
    const cache = new ResponseCache(3 * 2_024);
    for (const name of ['a', 'b', 'c']) cache.keep(name, answer(1_000), 0, 1_000);
    cache.find('a', 1);
    cache.keep('d', answer(1_000), 1, 1_000);
    expect(['a', 'b', 'c', 'd'].filter((name) => cache.find(name, 2))).toEqual(['a', 'c', 'd']);
    cache.keep('e', answer(5_000), 2, 1_000);
    expect(['a', 'c', 'd', 'e'].filter((name) => cache.find(name, 3))).toEqual(['e']);
    expect(cache.bytes).toBe(6_024);
  });

  it('takes the newer of two answers, and none that is larger than all of it', () => {
    const cache = new ResponseCache(5_000);
    cache.keep('a', answer(1), 0, 1_000);
    cache.keep('a', answer(2), 10, 1_000);
    expect(cache.find('a', 11)).toMatchObject({ ageMs: 1, answer: { bytes: 2 } });
    cache.keep('a', answer(5_000), 20, 1_000);
    expect(cache.find('a', 21)).toBeNull();
    expect(cache.bytes).toBe(0);
  });
});
