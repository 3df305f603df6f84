import { setImmediate as nextTurn } from 'node:timers/promises';
import { aRequest } from '../../testing/generation-fixtures';
import { UnfinishedUsage } from './unfinished-usage';

const journal = { note: () => undefined, forget: () => undefined, stored: () => undefined };

/** Calls that have begun together, each with a body of so many bytes, and how many of them were counted. */
async function begun(calls: number, bodyBytes: number) {
  // None of what others count in this turn counts here.
  await nextTurn();
  const counted: number[] = [];
  const all = Array.from({ length: calls }, (_, number) => {
    const unfinished = new UnfinishedUsage(journal, aRequest(), bodyBytes);
    unfinished.began({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => counted.push(number));
    return unfinished;
  });
  return { all, counted };
}

describe('the input of calls that take their time', () => {
  it('is counted in turns of the event loop, so much in each, and once', async () => {
    const { all, counted } = await begun(100, 8 * 1024);
    for (let tick = 0; tick < 2; tick++) for (const unfinished of all) unfinished.lasts();
    const perTurn = [counted.length];
    for (let before = counted.length; before < all.length; before = counted.length) {
      await nextTurn();
      perTurn.push(counted.length - before);
    }
    expect(Math.max(...perTurn)).toBe(2);
    for (const unfinished of all) unfinished.lasts();
    await nextTurn();
    expect(counted).toEqual(all.map((_, number) => number));
  });

  it('is not counted any more where the call ended before its turn came', async () => {
    const { all, counted } = await begun(4, 8 * 1024);
    for (const unfinished of all) unfinished.lasts();
    all[2]?.close();
    all[3]?.drop();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(counted).toEqual([0, 1]);
  });
});
