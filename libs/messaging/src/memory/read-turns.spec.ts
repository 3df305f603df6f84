import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadTurns } from './read-turns';
import type { Owner } from './turns-by-owner';

const pieceBytes = 1_024 - 256;

const ownerOf = (keyId: string, accountId = keyId) => ({ keyId, accountId });

/**
 * An answer of so many pieces, each of a kibibyte with its cost, that has come whole: it is read as long as
 * it may be.
 */
function fullAnswer(
  turns: ReadTurns,
  owner: Owner | string,
  pieces: number,
  onRead: (keyId: string) => void,
): () => void {
  const of = typeof owner === 'string' ? ownerOf(owner) : owner;
  let left = pieces;
  const read = (): void => {
    while (left > 0) {
      left -= 1;
      onRead(of.keyId);
      if (turns.read(of, pieceBytes, read)) return;
    }
  };
  return read;
}

describe('whose answers are read in a turn of the event loop', () => {
  it('reads fifty full answers of one key for 32 KiB a turn, one after the other, to the end of each', async () => {
    const turns = new ReadTurns();
    const readOf = Array.from({ length: 50 }, () => 0);
    const answers = readOf.map((_, at) => fullAnswer(turns, 'greedy', 10, () => (readOf[at] = (readOf[at] ?? 0) + 1)));
    const total = () => readOf.reduce((sum, pieces) => sum + pieces, 0);
    for (const read of answers) read();
    // Each is read once before it can be told to wait.
    expect(total()).toBe(32 + 46);
    let most = 0;
    for (let before = total(); before < 500; before = total()) {
      await nextTurn();
      most = Math.max(most, total() - before);
    }
    expect(most).toBe(32);
    expect(readOf).toEqual(readOf.map(() => 10));
  });

  it('lets whoever comes meanwhile be read at once', async () => {
    const turns = new ReadTurns();
    const read: string[] = [];
    for (let answer = 0; answer < 50; answer++) fullAnswer(turns, 'greedy', 100, (keyId) => read.push(keyId))();
    await nextTurn();
    const before = read.length;
    fullAnswer(turns, 'small', 3, (keyId) => read.push(keyId))();
    expect(read.slice(before)).toEqual(['small', 'small', 'small']);
  });

  it('does dear work for one key, counting what fifty callers left, once a turn', async () => {
    const turns = new ReadTurns();
    let done = 0;
    const counted = Array.from({ length: 50 }, async () => {
      await turns.turn(ownerOf('greedy'), 100_000);
      done += 1;
    });
    const course: number[] = [];
    for (let turn = 0; turn < 51; turn++) {
      course.push(done);
      await nextTurn();
    }
    await Promise.all(counted);
    const perTurn = course.slice(1).map((after, at) => after - (course[at] ?? 0));
    expect([done, Math.max(...perTurn)]).toEqual([50, 1]);
  });

  it('shares a turn among the accounts that have much to be read, and leaves each 8 KiB', async () => {
    const turns = new ReadTurns();
    const read = new Map<string, number>();
    const keys = Array.from({ length: 10 }, (_, at) => `key ${at}`);
    for (const keyId of keys) fullAnswer(turns, keyId, 1_000, (id) => read.set(id, (read.get(id) ?? 0) + 1))();
    read.clear();
    await nextTurn();
    expect([...read]).toEqual(keys.map((keyId) => [keyId, 8]));
  });

  it('shares what an account has among its keys, so that forty keys have no more than one', async () => {
    const turns = new ReadTurns();
    const read = new Map<string, number>();
    const keys = Array.from({ length: 40 }, (_, at) => `key ${at}`);
    const count = (id: string) => read.set(id, (read.get(id) ?? 0) + 1);
    for (const keyId of keys) fullAnswer(turns, ownerOf(keyId, 'greedy'), 1_000, count)();
    fullAnswer(turns, 'victim', 1_000, count)();
    await nextTurn();
    read.clear();
    for (let round = 0; round < 40; round++) await nextTurn();
    expect(Object.fromEntries(read)).toEqual({
      ...Object.fromEntries(keys.map((keyId) => [keyId, 16])),
      victim: 40 * 16,
    });
  });

  it('keeps no key waiting whose account has not had its share, however many keys it has', () => {
    const turns = new ReadTurns();
    const isWaiting = Array.from({ length: 40 }, (_, at) =>
      turns.read(ownerOf(`key ${at}`, 'an account'), at < 39 ? 100 : 1_000, () => undefined),
    );
    expect(isWaiting.filter(Boolean)).toEqual([]);
  });

  it('comes to rest when nothing more comes', () => {
    jest.useFakeTimers();
    const read: string[] = [];
    fullAnswer(new ReadTurns(), 'a key', 100, (keyId) => read.push(keyId))();
    jest.runAllTimers();
    expect([read.length, jest.getTimerCount()]).toEqual([100, 0]);
    jest.useRealTimers();
  });
});
