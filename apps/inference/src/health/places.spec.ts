import { setMaxListeners } from 'node:events';
import { Places } from './places';

const never = new AbortController().signal;
setMaxListeners(0, never);
let most: number;
let places: Places;
let order: string[];

beforeEach(() => {
  jest.useFakeTimers();
  most = 2;
  places = new Places(() => most);
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
    most = 10;
    expect(places.enter('b')).toBe(false);
    await leave('a');
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

  it('tell a key its share', () => {
    most = 9;
    for (let count = 0; count < 8; count += 1) places.enter('flood');
    places.enter('b');
    expect(places.shareOf('c')).toEqual({ own: 0, places: 9, fair: 3 });
    expect(places.shareOf('flood')).toEqual({ own: 8, places: 9, fair: 4 });
  });
});
