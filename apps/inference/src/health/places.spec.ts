import { setMaxListeners } from 'node:events';
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

/** Waits as `key`, and notes under `name` how that ended. */
function wait(key: string, name: string, { ms = 2_000, signal = never } = {}): Promise<void> {
  return places.wait(key, ms, signal).then((entered) => void order.push(entered ? name : `not ${name}`));
}

async function leave(...keys: string[]): Promise<void> {
  for (const key of keys) {
    places.leave(key);
    await jest.advanceTimersByTimeAsync(0);
  }
}

describe('places', () => {
  it('are taken at once while there are some, and not past those who wait', async () => {
    expect([places.enter('a'), places.enter('a'), places.enter('a')]).toEqual([true, true, false]);
    void wait('a', 'first');
    expect(places.enter('b')).toBe(false);
    await leave('a', 'a');
    expect(order).toEqual(['first']);
    expect(places.enter('b')).toBe(true);
  });

  it('go to the key that has the fewest, not to the one that asks most', async () => {
    for (let count = 0; count < 2; count += 1) places.enter('flood');
    for (let count = 0; count < 5; count += 1) void wait('flood', `flood ${count}`);
    for (let count = 0; count < 3; count += 1) void wait('victim', `victim ${count}`);
    await leave('flood', 'flood', 'victim', 'flood', 'victim');
    expect(order).toEqual(['victim 0', 'flood 0', 'victim 1', 'flood 1', 'victim 2']);
  });

  it('are waited for no longer than patience lasts, and not after an abort', async () => {
    places.enter('a');
    places.enter('a');
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
    places.enter('a');
    places.enter('a');
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
    const taken = (key: string) => places.enter(key);
    expect(['flood', 'flood', 'flood', 'flood', 'flood'].map(taken)).toEqual([true, true, true, true, false]);
    // Half of four; and no more of them than is never to be exceeded.
    expect(['victim', 'victim', 'victim'].map(taken)).toEqual([true, true, false]);
    expect(places.inFlight).toBe(6);
    places.leave('victim');
    places.leave('flood');
    // Of those that come free nobody has more than is left under the limit.
    expect(taken('flood')).toBe(false);
    expect(taken('victim')).toBe(true);
  });

  it('are not exceeded where nobody has more than his share, nor beyond twice as many', () => {
    places = new Places(100, () => 4);
    for (const key of ['a', 'a', 'b', 'b']) expect(places.enter(key)).toBe(true);
    expect([places.enter('a'), places.enter('b')]).toEqual([false, false]);
    places = new Places(100, () => 16);
    const takenBy = (key: string) => Array.from({ length: 20 }, () => places.enter(key)).filter(Boolean).length;
    // Each that comes later makes the shares smaller, of which those before it keep more.
    expect(['a', 'b', 'c', 'd', 'e'].map(takenBy)).toEqual([16, 8, 5, 3, 0]);
  });

  it('tell a key its share', () => {
    places = new Places(9);
    for (let count = 0; count < 8; count += 1) places.enter('flood');
    places.enter('b');
    expect(places.shareOf('c')).toEqual({ own: 0, places: 9, fair: 3 });
    expect(places.shareOf('flood')).toEqual({ own: 8, places: 9, fair: 4 });
  });
});
