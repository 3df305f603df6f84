import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { takeUnread } from './unread-bodies';

const piece = Buffer.alloc(65_536);
let taken = 0;

/** A body of so many pieces, which come as fast as they are taken. */
function bodyOf(pieces: number): IncomingMessage {
  let left = pieces;
  const body = new Readable({
    highWaterMark: piece.length,
    read() {
      this.push(left-- > 0 ? piece : null);
    },
  });
  body.prependListener('data', () => (taken += 1));
  body.pause();
  return body as IncomingMessage;
}

/** Lets a stream do what it does in a turn of the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    jest.advanceTimersByTime(4);
    await settle();
  }
}

beforeEach(() => {
  taken = 0;
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => jest.useRealTimers());

it('takes large bodies that nobody will read in pieces, one of all of them in each turn', async () => {
  const bodies = [bodyOf(12), bodyOf(12), bodyOf(12)];
  for (const body of bodies) takeUnread(body);
  await settle();
  const atOnce = taken;
  expect(atOnce).toBeLessThanOrEqual(3 * bodies.length);
  await turns(6);
  expect(taken).toBe(atOnce + 6);
  expect(bodies.map(({ readableEnded }) => readableEnded)).toEqual([false, false, false]);
  await turns(40);
  expect(bodies.map(({ readableEnded }) => readableEnded)).toEqual([true, true, true]);
});

it('takes small ones at once, and gives no turn to one whose caller has left', async () => {
  const [small, left, other] = [bodyOf(1), bodyOf(100), bodyOf(4)];
  for (const body of [small, left, other]) takeUnread(body);
  await settle();
  expect(small.readableEnded).toBe(true);
  left.destroy();
  await turns(4);
  expect(other.readableEnded).toBe(true);
  takeUnread(left);
});
