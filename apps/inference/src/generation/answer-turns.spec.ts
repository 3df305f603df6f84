import { AccountPace, Company } from '@tollgate/messaging';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AnswerTurns } from './caller-answer';

const mebibyte = 1_048_576;
const piece = 65_536;
const owner = { keyId: 'key', accountId: 'one' };
const other = { keyId: 'key of another', accountId: 'other' };

let isOver = false;
beforeEach(() => {
  isOver = false;
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => {
  isOver = true;
  jest.useRealTimers();
});

/** Answers without an end, read at 16 pieces a second after the first 32, or 32 a second. */
function someAnswers() {
  const bounds = { bytesPerS: mebibyte, burstBytes: 2 * mebibyte, peakBytesPerS: Infinity };
  const all = new AnswerTurns(new AccountPace(bounds, new Company()));
  const answer = (whose: typeof owner) => {
    const read = all.reader(whose);
    let pieces = 0;
    const takeAll = (): void => {
      while (!isOver) {
        pieces += 1;
        if (read(piece, takeAll)) return;
      }
    };
    return { begin: takeAll, pieces: () => pieces };
  };
  return { answer, all };
}

/** Until no answer goes on any more in turns of the event loop alone. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 500; turn++) await nextTurn();
}

describe('the answers for one account', () => {
  it('are read at its pace beside another, each of them, and what is small waits for none of that', async () => {
    const { answer, all } = someAnswers();
    all.reader(other)(10, () => undefined);
    const large = [answer(owner), answer({ ...owner, keyId: 'another key' })];
    for (const { begin } of large) begin();
    await rest();
    const read = () => large.reduce((sum, { pieces }) => sum + pieces(), 0);
    // Of each the first piece is small, and the last one waits.
    expect(read()).toBe(34);
    expect(all.reader(owner)(1_000, () => undefined)).toBe(false);
    for (let second = 0; second < 3; second++) {
      const before = read();
      for (let tenth = 0; tenth < 10; tenth++) {
        all.reader(other)(10, () => undefined);
        jest.advanceTimersByTime(100);
        await rest();
      }
      expect(Math.abs(read() - before - 16)).toBeLessThanOrEqual(2);
    }
    expect(large.every(({ pieces }) => pieces() > 30)).toBe(true);
  });

  it('have no pace where nobody else is there', async () => {
    const { answer } = someAnswers();
    const large = answer(owner);
    large.begin();
    await rest();
    expect(large.pieces()).toBeGreaterThan(100);
  });
});
