import { someAtOnce } from './some-at-once';

it('reads of no more at the same time, and tells it in their order', async () => {
  let running = 0;
  let most = 0;
  const read = async (item: number) => {
    most = Math.max(most, ++running);
    for (let turns = 5 - item; turns > 0; turns--) await Promise.resolve();
    running--;
    return item * 10;
  };
  expect(await someAtOnce([1, 2, 3, 4, 5], 2, read)).toEqual([10, 20, 30, 40, 50]);
  expect(most).toBe(2);
});

it('begins nothing more behind what failed', async () => {
  const begun: number[] = [];
  const read = (item: number) => {
    begun.push(item);
    return item === 2 ? Promise.reject(new Error('no')) : Promise.resolve(item);
  };
  await expect(someAtOnce([1, 2, 3], 2, read)).rejects.toThrow('no');
  expect(begun).toEqual([1, 2]);
});
