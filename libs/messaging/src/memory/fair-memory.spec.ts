import { FairMemory, MemoryFullError } from './fair-memory';
import type { HeldMemory } from './fair-memory';

const stays = new AbortController().signal;

/** Asks for memory, and notes when it is there. */
function asker(memory: FairMemory, order: string[]) {
  return (keyId: string, bytes: number, name = keyId): Promise<HeldMemory> =>
    memory.admit(keyId, bytes, stays).then((held) => {
      order.push(name);
      return held;
    });
}

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
    expect(memory.take(250)).toBe(true);
    memory.free(250);
    first.release();
    await turn();
    expect(order).toEqual(['one 1', 'two', 'one 2']);
  });

  it('goes to keys in turns, however much one of them asks for', async () => {
    const memory = new FairMemory(200);
    const order: string[] = [];
    const ask = asker(memory, order);
    const whole = await ask('greedy', 100);
    const later: Promise<HeldMemory>[] = [];
    for (let i = 1; i <= 4; i++) later.push(ask('greedy', 100, `greedy ${i}`));
    later.push(ask('modest', 100));
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

  it('is given to a body that is larger than a share when nothing else is held, and never to one beyond all', async () => {
    const memory = new FairMemory(100);
    (await memory.admit('key', 90, stays)).release();
    await expect(memory.admit('key', 101, stays)).rejects.toBeInstanceOf(MemoryFullError);
  });

  it('is waited for only so long, and not by those who left', async () => {
    jest.useFakeTimers();
    const memory = new FairMemory(100, 1_000);
    const held = await memory.admit('one', 50, stays);
    const waiting = expect(memory.admit('two', 50, stays)).rejects.toBeInstanceOf(MemoryFullError);
    const gone = new AbortController();
    const left = expect(memory.admit('three', 50, gone.signal)).rejects.toThrow('left');
    gone.abort(new Error('left'));
    await left;
    jest.advanceTimersByTime(1_001);
    await waiting;
    jest.useRealTimers();
    held.shrink(20);
    expect(memory.usedBytes).toBe(20);
    held.release();
    expect(memory.usedBytes).toBe(0);
    expect(await memory.admit('two', 50, stays)).toBeDefined();
  });
});
