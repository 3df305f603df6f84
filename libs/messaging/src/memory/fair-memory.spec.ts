import { FairMemory, MemoryFullError } from './fair-memory';
import type { HeldMemory } from './fair-memory';

const stays = new AbortController().signal;

/** A key of an account: `a/1`, or one that is all that its account has. */
function owner(keyId: string): { keyId: string; accountId: string } {
  const [accountId = keyId] = keyId.split('/');
  return { keyId, accountId };
}

/** Asks for memory, and notes when it is there. */
function asker(memory: FairMemory, order: string[]) {
  return (keyId: string, bytes: number, name = keyId): Promise<HeldMemory> =>
    memory.admit(owner(keyId), bytes, stays).then((held) => {
      order.push(name);
      return held;
    });
}

/** Takes small things for an owner while it gets some; how much it got. */
const filler = (memory: FairMemory) => (owner: string) => {
  let taken = 0;
  while (memory.take(10, owner)) taken += 10;
  return taken;
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('memory that is shared fairly', () => {
  it('is half of all, of which a key has half; what is beyond waits until something is released', async () => {
    const memory = new FairMemory(400);
    const order: string[] = [];
    const ask = asker(memory, order);
    const first = await ask('one', 60, 'one 1');
    void ask('one', 60, 'one 2');
    await ask('two', 90);
    await turn();
    expect(order).toEqual(['one 1', 'two']);
    const owners = Array.from({ length: 24 }, (_, index) => `owner ${index}`);
    expect(owners.map((owner) => memory.take(10, owner))).not.toContain(false);
    for (const owner of owners) memory.free(10, owner);
    first.release();
    await turn();
    expect(order).toEqual(['one 1', 'two', 'one 2']);
  });

  it('leaves room for small things of others, however many of them one has', () => {
    const memory = new FairMemory(1_000);
    const fill = filler(memory);
    expect(['greedy', 'second', 'third'].map(fill)).toEqual([750, 120, 60]);
    expect(memory.take(10, 'modest')).toBe(true);
    expect(memory.take(10, 'greedy')).toBe(false);
    memory.free(750, 'greedy');
    expect(memory.usedBytes).toBe(190);
    expect(fill('second')).toBe(560);
  });

  it('leaves room for small things of others also where what is large has grown past its half', async () => {
    const memory = new FairMemory(1_000);
    const large = await memory.admit(owner('large'), 200, stays);
    await large.grow(650, stays);
    expect(['greedy', 'second'].map(filler(memory))).toEqual([260, 40]);
    expect(memory.take(10, 'modest')).toBe(true);
  });

  it('goes to keys in turns, however much one of them asks for', async () => {
    const memory = new FairMemory(200);
    const order: string[] = [];
    const ask = asker(memory, order);
    const whole = await ask('greedy', 150);
    const later: Promise<HeldMemory>[] = [];
    for (let i = 1; i <= 4; i++) later.push(ask('greedy', 150, `greedy ${i}`));
    later.push(ask('modest', 150));
    whole.release();
    for (let i = 0; i < 5; i++) {
      await turn();
      const name = order.at(-1) ?? '';
      const held = await Promise.race(later);
      expect(held).toBeDefined();
      const index = ['greedy 1', 'greedy 2', 'greedy 3', 'greedy 4', 'modest'].indexOf(name);
      (await later[index])?.release();
    }
    await Promise.all(later);
    expect(order).toEqual(['greedy', 'greedy 1', 'modest', 'greedy 2', 'greedy 3', 'greedy 4']);
  });

  it('goes to accounts in turns, and within each to its keys, and leaves one with many keys three quarters', async () => {
    const memory = new FairMemory(800);
    const order: string[] = [];
    const ask = asker(memory, order);
    const [first, second] = await Promise.all(['many/1', 'many/2', 'many/3'].map((key) => ask(key, 100)));
    const [fourthKey, again] = ['many/4', 'many/4', 'many/5'].map((key) => ask(key, 90));
    const other = await ask('other', 80);
    await turn();
    expect(order).toEqual(['many/1', 'many/2', 'many/3', 'other']);
    const third = ask('third', 60);
    const fourth = ask('fourth', 50);
    first?.release();
    const later = await Promise.all([third, fourth]);
    expect(order.slice(4)).toEqual(['third', 'fourth']);
    for (const held of [second, other, ...later]) held?.release();
    await turn();
    expect(order.slice(6)).toEqual(['many/4', 'many/5']);
    (await fourthKey)?.release();
    await again;
    expect(order.slice(8)).toEqual(['many/4']);
  });

  it('bounds what one account has also where it grows, but for one thing at a time', async () => {
    const memory = new FairMemory(800);
    const held: HeldMemory[] = [];
    for (let key = 1; key <= 5; key++) held.push(await memory.admit(owner(`many/${key}`), 10, stays));
    const grown: number[] = [];
    const growing = held.map((one, index) => one.grow(140, stays).then(() => grown.push(index)));
    await turn();
    // The second goes beyond its account's part, and nothing else of it before that is over.
    expect(grown).toEqual([0, 1]);
    expect(memory.take(10, 'other')).toBe(true);
    const other = await memory.admit(owner('other'), 90, stays);
    await other.grow(120, stays);
    held[0]?.release();
    await turn();
    expect(grown).toEqual([0, 1]);
    held[1]?.release();
    await turn();
    expect(grown).toHaveLength(4);
    for (const one of held.slice(2, 4)) one.release();
    await Promise.all(growing);
    expect(memory.usedBytes).toBe(270);
  });

  it('lets what one account has grow, one after the other, where it begins as large as may be', async () => {
    const memory = new FairMemory(256);
    const held = await Promise.all([1, 2, 3].map((key) => memory.admit(owner(`a/${key}`), 32, stays)));
    const grown: number[] = [];
    const growing = held.map(async (one, index) => {
      await one.grow(64, stays);
      await one.grow(100, stays);
      grown.push(index);
      one.release();
    });
    await Promise.all(growing);
    expect([grown.length, memory.usedBytes]).toEqual([3, 0]);
  });

  it('leaves half of their half to small things where what many accounts have grows', async () => {
    const memory = new FairMemory(800);
    const held = await Promise.all(['a', 'b', 'c', 'd'].map((key) => memory.admit(owner(key), 10, stays)));
    const growing = held.map((one) => one.grow(180, stays));
    await turn();
    expect([memory.usedBytes, memory.take(150, 'small')]).toEqual([550, true]);
    memory.free(150, 'small');
    for (const one of held) one.release();
    await Promise.all(growing);
    expect(memory.usedBytes).toBe(0);
  });

  it('is given to a body that is larger than a share when nothing else is held, and never to one beyond all', async () => {
    const memory = new FairMemory(100);
    (await memory.admit(owner('key'), 90, stays)).release();
    await expect(memory.admit(owner('key'), 101, stays)).rejects.toBeInstanceOf(MemoryFullError);
  });

  it('leaves others their share beside what is larger than one, which waits for room for the whole of it', async () => {
    const memory = new FairMemory(400);
    const order: string[] = [];
    const ask = asker(memory, order);
    const slow = await ask('slow', 150);
    await ask('other', 40);
    void ask('large', 200);
    void ask('slow', 10, 'slow again');
    await turn();
    expect(order).toEqual(['slow', 'other']);
    slow.release();
    await ask('third', 50);
    expect(order).toEqual(['slow', 'other', 'large', 'slow again', 'third']);
  });

  it('grows what is held before anything new, beyond the half where it must, and never past a share beside others of its key', async () => {
    const memory = new FairMemory(400);
    const order: string[] = [];
    const ask = asker(memory, order);
    const [one, two] = [await ask('one', 80), await ask('two', 80)];
    await one.grow(100, stays);
    await two.grow(150, stays);
    expect(memory.usedBytes).toBe(250);
    void ask('three', 10);
    const rest = one.grow(1_000, stays).then(() => order.push('one has all'));
    await turn();
    expect(order).toEqual(['one', 'two']);
    two.release();
    await rest;
    expect(memory.usedBytes).toBe(400);
    one.shrink(90);
    await turn();
    expect(order).toEqual(['one', 'two', 'one has all', 'three']);
    const second = await ask('three', 80);
    const patience = new AbortController();
    const never = expect(second.grow(100, patience.signal)).rejects.toThrow('left');
    await turn();
    patience.abort(new Error('left'));
    await never;
    expect(memory.usedBytes).toBe(180);
  });

  it('is given back at once where it grew after it was released', async () => {
    const memory = new FairMemory(400);
    const [held, other] = [await memory.admit(owner('key'), 40, stays), await memory.admit(owner('key'), 60, stays)];
    const grown = held.grow(90, stays);
    held.release();
    other.release();
    await grown;
    expect(memory.usedBytes).toBe(0);
  });

  it('is waited for only so long, and not by those who left', async () => {
    jest.useFakeTimers();
    const memory = new FairMemory(100, 1_000);
    const held = await memory.admit(owner('one'), 60, stays);
    const waiting = expect(memory.admit(owner('two'), 60, stays)).rejects.toBeInstanceOf(MemoryFullError);
    const gone = new AbortController();
    const left = expect(memory.admit(owner('three'), 60, gone.signal)).rejects.toThrow('left');
    gone.abort(new Error('left'));
    await left;
    jest.advanceTimersByTime(1_001);
    await waiting;
    jest.useRealTimers();
    held.shrink(20);
    expect(memory.usedBytes).toBe(20);
    held.release();
    expect(memory.usedBytes).toBe(0);
    expect(await memory.admit(owner('two'), 50, stays)).toBeDefined();
  });
});
