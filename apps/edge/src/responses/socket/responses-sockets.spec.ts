import { setImmediate as nextTurn } from 'node:timers/promises';
import { SocketLooks } from './responses-sockets';

it('looks at some sockets in each turn of the event loop, and at all of them in the end', async () => {
  let looked = 0;
  const sockets = Array.from({ length: 1_000 }, () => ({ look: () => void (looked += 1) }));
  const looks = new SocketLooks(sockets);
  looks.begin();
  let most = 0;
  for (let before = looked; looked < 1_000; before = looked) {
    await nextTurn();
    most = Math.max(most, looked - before);
  }
  expect(most).toBeLessThanOrEqual(16);
});

it('begins no round while one lasts', async () => {
  let looked = 0;
  const looks = new SocketLooks(Array.from({ length: 100 }, () => ({ look: () => void (looked += 1) })));
  looks.begin();
  looks.begin();
  for (let turn = 0; turn < 200; turn++) await nextTurn();
  expect(looked).toBe(100);
});
