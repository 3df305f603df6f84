import { setImmediate } from 'node:timers/promises';
import { KeyedQueue } from './keyed-queue';

describe('KeyedQueue', () => {
  it('runs the work of one key in turn, also after a failure, and does not make other keys wait', async () => {
    const queue = new KeyedQueue();
    const order: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        order.push(`${name} begins`);
        await setImmediate();
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const results = await Promise.allSettled([
      queue.run('a', work('a1', true)),
      queue.run('a', work('a2')),
      queue.run('b', work('b1')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(order.filter((entry) => entry.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
    expect(order.indexOf('b1 begins')).toBeLessThan(order.indexOf('a1 ends'));
  });
});
