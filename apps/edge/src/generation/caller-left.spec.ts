import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeCaller } from '../testing/fake-response';
import { CallerLeft, whileThere } from './caller-left';
import { InnerRequest } from './inner-exchange';

/** Waits until it is told that its caller left. */
const untilLeft = (left: AbortSignal) =>
  new Promise<never>((_resolve, reject) => left.addEventListener('abort', () => reject(left.reason as Error)));

it('ends what is waited for when its caller hangs up, and listens no longer than that', async () => {
  const socket = new EventEmitter();
  const waiting = expect(whileThere({ socket }, untilLeft)).rejects.toBeInstanceOf(CallerLeft);
  socket.emit('close');
  await waiting;
  expect(await whileThere({ socket }, () => Promise.resolve('there'))).toBe('there');
  expect(socket.listenerCount('close')).toBe(0);
});

it('does not begin for a caller who is gone, also one inside of this edge', async () => {
  const message = new InnerRequest('/', {}, Buffer.from('{}'));
  const waiting = expect(whileThere(message, untilLeft)).rejects.toBeInstanceOf(CallerLeft);
  message.leave();
  await waiting;
  const wait = jest.fn(() => Promise.resolve());
  await expect(whileThere(message, wait)).rejects.toBeInstanceOf(CallerLeft);
  expect(wait).not.toHaveBeenCalled();
});

it('is heard of by a few answers in a turn of the event loop, however many callers leave at once', async () => {
  const callers = Array.from({ length: 100 }, () => new FakeCaller());
  let left = 0;
  for (const { response } of callers) response.onLeft = () => void left++;
  for (const caller of callers) caller.leave();
  const inTurns: number[] = [];
  for (let before = 0; left < callers.length; before = left) {
    await nextTurn();
    inTurns.push(left - before);
  }
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(32);
  expect(callers.map(({ response, overWith }) => [response.hasLeft, overWith])).toEqual(callers.map(() => [true, 499]));
});

it('is heard of within a few hundred turns where thousands leave at once', async () => {
  const callers = Array.from({ length: 5_000 }, () => new FakeCaller());
  let left = 0;
  for (const { response } of callers) response.onLeft = () => void left++;
  for (const caller of callers) caller.leave();
  let turns = 0;
  for (; left < callers.length; turns++) await nextTurn();
  expect(turns).toBeLessThan(150);
});
