import { FairMemory } from '@tollgate/messaging';
import type { HeldMemory } from '@tollgate/messaging';
import { MessageRoom } from './message-room';

const mib = 1_048_576;
const owner = { keyId: 'a key', accountId: 'an account' };
const stays = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

let memory: FairMemory;
let refused: string[];
let room: MessageRoom;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  memory = new FairMemory(64 * mib, 30_000);
  refused = [];
  const refuse = (why: string) => void refused.push(why);
  room = new MessageRoom(memory, owner, 32 * mib, { pause: () => undefined, resume: () => undefined, refuse });
});
afterEach(() => jest.useRealTimers());

/** Bytes come until the message waits for memory that others hold. */
async function waits(bytes: number): Promise<HeldMemory> {
  const other = await memory.admit(owner, bytes, stays);
  for (let at = 0; at < 16 * mib && !room.isWaiting; at += mib / 16) {
    room.came(mib / 16);
    await turn();
  }
  expect(room.isWaiting).toBe(true);
  return other;
}

it('refuses nothing for pings alone, however short memory is', () => {
  while (memory.take(mib / 16, owner.accountId));
  expect(memory.take(memory.limit / 8, 'another account')).toBe(true);
  room.came(0);
  expect(refused).toEqual([]);
  room.came(mib / 16);
  expect(refused).toEqual(['no memory']);
});

describe('a message that ends while it waits for memory', () => {
  const cases = [
    ['to grow', 10],
    ['to be admitted', 15],
  ] as const;
  for (const [how, mibs] of cases)
    for (const first of ['message', 'connection', 'other'])
      it(`${how} leaves nothing held, whoever goes first: the ${first}`, async () => {
        const other = await waits(mibs * mib);
        const message = room.taken();
        expect(room.isWaiting).toBe(false);
        const ends = { message: () => message.release(), connection: () => room.close(), other: () => other.release() };
        for (const [, end] of Object.entries(ends).sort(([name]) => (name === first ? -1 : 0))) {
          end();
          await turn();
        }
        expect(memory.usedBytes).toBe(0);
      });

  it.each(cases)('%s is refused neither later, nor does its connection hold anything', async (_how, mibs) => {
    const other = await waits(mibs * mib);
    room.taken().release();
    jest.advanceTimersByTime(120_000);
    await turn();
    expect([refused, memory.usedBytes]).toEqual([[], mibs * mib]);
    other.release();
  });
});

it('holds nothing where the connection ends in the turn in which its message is admitted', async () => {
  for (let at = 0; at <= mib; at += mib / 16) room.came(mib / 16);
  room.close();
  await turn();
  expect(memory.usedBytes).toBe(0);
});
