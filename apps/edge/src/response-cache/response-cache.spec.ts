import type { KeptAnswer } from './kept-answer';
import { ResponseCache } from './response-cache';

const answer = (bytes: number): KeptAnswer => ({ head: { status: 200, headers: {} }, id: null, pieces: [], bytes });

const of = (accountId: string, name: string) => ({ accountId, name });

describe('the response cache', () => {
  it('gives an answer with its age, until its time is over', () => {
    const cache = new ResponseCache(10_000);
    const kept = answer(10);
    cache.keep(of('one', 'a'), kept, 1_000, 500);
    expect(cache.find(of('one', 'a'), 1_499)).toEqual({ answer: kept, ageMs: 499 });
    expect(cache.find(of('one', 'a'), 1_500)).toBeNull();
    expect(cache.bytes).toBe(0);
    expect(cache.find(of('one', 'b'), 0)).toBeNull();
  });

  it('holds no more than its memory: the one used longest ago goes', () => {
    const cache = new ResponseCache(3 * 2_024);
    for (const name of ['a', 'b', 'c']) cache.keep(of('one', name), answer(1_000), 0, 1_000);
    cache.find(of('one', 'a'), 1);
    cache.keep(of('one', 'd'), answer(1_000), 1, 1_000);
    expect(['a', 'b', 'c', 'd'].filter((name) => cache.find(of('one', name), 2))).toEqual(['a', 'c', 'd']);
    cache.keep(of('one', 'e'), answer(5_000), 2, 1_000);
    expect(['a', 'c', 'd', 'e'].filter((name) => cache.find(of('one', name), 3))).toEqual(['e']);
    expect(cache.bytes).toBe(6_024);
  });

  it('makes room at the cost of the account that has most in it', () => {
    const cache = new ResponseCache(10 * 2_024);
    cache.keep(of('victim', 'a'), answer(1_000), 0, 60_000);
    for (let number = 0; number < 1_000; number++)
      cache.keep(of('attacker', `${number}`), answer(1_000), number, 60_000);
    expect(cache.find(of('victim', 'a'), 1_000)).not.toBeNull();
    expect(cache.find(of('attacker', '999'), 1_000)).not.toBeNull();
    expect(cache.bytes).toBe(10 * 2_024);
    for (let number = 0; number < 9; number++) cache.keep(of('victim', `${number}`), answer(1_000), 1_000, 60_000);
    const left = Array.from({ length: 1_000 }, (_, number) => cache.find(of('attacker', `${number}`), 1_001));
    expect(left.filter(Boolean)).toHaveLength(5);
  });

  it('makes room at the cost of what has ended first, whosever it is', () => {
    const cache = new ResponseCache(100 * 2_024);
    for (let number = 0; number < 100; number++) cache.keep(of(`quiet ${number}`, 'a'), answer(1_000), 0, 60_000);
    for (let number = 0; number < 60; number++) cache.keep(of('busy', `${number}`), answer(1_000), 60_000, 60_000);
    const left = Array.from({ length: 60 }, (_, number) => cache.find(of('busy', `${number}`), 60_001));
    expect(left.filter(Boolean)).toHaveLength(60);
  });

  it('takes the newer of two answers, and none that is larger than all of it', () => {
    const cache = new ResponseCache(5_000);
    cache.keep(of('one', 'a'), answer(1), 0, 1_000);
    cache.keep(of('one', 'a'), answer(2), 10, 1_000);
    expect(cache.find(of('one', 'a'), 11)).toMatchObject({ ageMs: 1, answer: { bytes: 2 } });
    cache.keep(of('one', 'a'), answer(5_000), 20, 1_000);
    expect(cache.find(of('one', 'a'), 21)).toBeNull();
    expect(cache.bytes).toBe(0);
  });
});
