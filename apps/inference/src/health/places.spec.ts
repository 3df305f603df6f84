import { setMaxListeners } from 'node:events';
import type { Caller } from './caller-window';
import { Places } from './places';

const never = new AbortController().signal;
setMaxListeners(0, never);
let places: Places;
let order: string[];

beforeEach(() => {
  jest.useFakeTimers();
  places = new Places(2);
  order = [];
});
afterEach(() => jest.useRealTimers());

/** A key of an account: `a/1`, or one that is all that its account has. */
function caller(name: string): Caller {
  const [account = name] = name.split('/');
  return { account, key: name };
}

const enter = (name: string): boolean => places.enter(caller(name));
/** How many of so many requests find a place at once. */
const takenBy = (name: string, count = 20): number =>
  Array.from({ length: count }, () => enter(name)).filter(Boolean).length;

/** Waits as this key, and notes under `name` how that ended. */
function wait(key: string, name: string, { ms = 2_000, signal = never } = {}): Promise<void> {
  return places.wait(caller(key), ms, signal).then((entered) => void order.push(entered ? name : `not ${name}`));
}

async function leave(...keys: string[]): Promise<void> {
  for (const key of keys) {
    places.leave(caller(key));
    await jest.advanceTimersByTimeAsync(0);
  }
}

describe('places', () => {
  it('are taken at once while there are some, and not past those who wait', async () => {
    expect([enter('a'), enter('a'), enter('a')]).toEqual([true, true, false]);
    void wait('a', 'first');
    expect(enter('b')).toBe(false);
    await leave('a', 'a');
    expect(order).toEqual(['first']);
    expect(enter('b')).toBe(true);
  });

  it('go to the key that has the fewest, not to the one that asks most', async () => {
    for (let count = 0; count < 2; count += 1) enter('flood');
    for (let count = 0; count < 5; count += 1) void wait('flood', `flood ${count}`);
    for (let count = 0; count < 3; count += 1) void wait('victim', `victim ${count}`);
    await leave('flood', 'flood', 'victim', 'flood', 'victim');
    expect(order).toEqual(['victim 0', 'flood 0', 'victim 1', 'flood 1', 'victim 2']);
  });

  it('are waited for no longer than patience lasts, and not after an abort', async () => {
    enter('a');
    enter('a');
    const abort = new AbortController();
    void wait('b', 'late');
    void wait('b', 'aborted', { signal: abort.signal });
    abort.abort();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(order).toEqual(['not aborted', 'not late']);
    expect(places.waiting).toBe(0);
    await leave('a');
    expect(places.inFlight).toBe(1);
  });

  it('have a bounded queue, in which the longest part gives way to others', async () => {
    enter('a');
    enter('a');
    for (let count = 0; count < 256; count += 1) void wait('flood', 'flood');
    await wait('flood', 'one too many');
    expect(order).toEqual(['not one too many']);
    void wait('victim', 'victim');
    await jest.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['not one too many', 'not flood']);
    expect(places.waiting).toBe(256);
  });

  it('of a limit that was only learned are had by whoever has less than its share, beyond it', () => {
    places = new Places(6, () => 4);
    expect(['flood', 'flood', 'flood', 'flood', 'flood'].map(enter)).toEqual([true, true, true, true, false]);
    // Half of four; and no more of them than is never to be exceeded.
    expect(['victim', 'victim', 'victim'].map(enter)).toEqual([true, true, false]);
    expect(places.inFlight).toBe(6);
    places.leave(caller('victim'));
    places.leave(caller('flood'));
    // Of those that come free nobody has more than is left under the limit.
    expect(enter('flood')).toBe(false);
    expect(enter('victim')).toBe(true);
  });

  it('are not exceeded where nobody has more than his share, nor beyond twice as many', () => {
    places = new Places(100, () => 4);
    for (const key of ['a', 'a', 'b', 'b']) expect(enter(key)).toBe(true);
    expect([enter('a'), enter('b')]).toEqual([false, false]);
    places = new Places(100, () => 16);
    // Each that comes later makes the shares smaller, of which those before it keep more.
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => takenBy(name))).toEqual([16, 8, 5, 3, 0]);
  });

  it('tell a key its share', () => {
    places = new Places(9);
    for (let count = 0; count < 8; count += 1) enter('flood');
    enter('b');
    expect(places.shareOf(caller('c'))).toEqual({ own: 0, places: 9, fair: 3, account: null, isOwed: true });
    expect(places.shareOf(caller('flood'))).toEqual({ own: 8, places: 9, fair: 4, account: null, isOwed: false });
  });

  it('go to the account that has the fewest, however many keys another one has', async () => {
    for (const key of ['many/1', 'many/2']) enter(key);
    for (const key of ['many/3', 'many/4', 'many/5']) void wait(key, key);
    for (const name of ['victim 0', 'victim 1']) void wait('victim', name);
    await leave('many/1', 'many/2', 'victim', 'many/3', 'many/4');
    expect(order).toEqual(['victim 0', 'many/3', 'victim 1', 'many/4', 'many/5']);
  });

  it('that an account has are shared fairly among its keys', async () => {
    places = new Places(3);
    for (const key of ['team/flood', 'team/flood', 'other']) enter(key);
    void wait('team/flood', 'flood');
    void wait('team/quiet', 'quiet');
    await leave('team/flood', 'other');
    expect(order).toEqual(['quiet', 'flood']);
  });

  it('of a limit that was only learned are no more for an account with many keys than for one with one', () => {
    places = new Places(100, () => 16);
    const keys = Array.from({ length: 40 }, (_, number) => `many/${number}`);
    expect(keys.filter(enter)).toHaveLength(16);
    expect(takenBy('victim')).toBe(8);
    // A key that has none is owed none where its account has all of its share.
    expect(enter('many/40')).toBe(false);
    const account = { own: 16, fair: 8 };
    expect(places.shareOf(caller('many/40'))).toEqual({ own: 0, places: 16, fair: 1, account, isOwed: false });
    // Another key that has more than its part of the account's share keeps nobody from his own.
    places = new Places(100, () => 16);
    expect(takenBy('team/flood')).toBe(16);
    expect(takenBy('team/quiet')).toBe(8);
  });

  it('have a queue in which the account with the longest part gives way, and of that the key with most', async () => {
    for (let count = 0; count < 2; count += 1) enter('a');
    for (let key = 0; key < 84; key += 1) for (let count = 0; count < 3; count += 1) void wait(`many/${key}`, `${key}`);
    for (let count = 0; count < 4; count += 1) void wait('flood', 'flood');
    void wait('victim', 'victim');
    void wait('many/new', 'new');
    void wait('many/2', 'one too many');
    await jest.advanceTimersByTimeAsync(0);
    expect(order.toSorted()).toEqual(['not 0', 'not 1', 'not one too many']);
    expect(places.waiting).toBe(256);
  });
});
