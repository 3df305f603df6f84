import { storedResponseOperations } from '@tollgate/contracts/metering';
import type { ReadTurn } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagingLink } from '../messaging-link';
import type { Settings } from '../settings';
import { FakeClock } from '../testing/fake-clock';
import { TurnCipher } from './turn-cipher';
import { TurnStore } from './turn-store';

const facts = { accountId: 'account', keyId: 'key', id: 'resp_1', bornAt: 1, previous: null, itemIds: [] };
const link = { connection: { info: { max_payload: 1_048_576 } } } as MessagingLink;
const settings = { pepper: 'pepper', formerPeppers: [], bodyLimit: 4_000_000 } as unknown as Settings;

/** A metering that keeps parts, tells one in each page, and the turns where it knows of them. */
function meteringOfOneTurn(knowsTurns: boolean) {
  const kept: { part: number; parts: number; content: string }[] = [];
  const asked: (ReadTurn[] | undefined)[] = [];
  const call = (operation: unknown, request: { from: number; turns?: ReadTurn[] } & (typeof kept)[number]) => {
    if (operation === storedResponseOperations.keep) return Promise.resolve(void kept.unshift(request));
    asked.push(request.turns);
    const { part, parts, content } = kept[request.from] ?? { part: 0, parts: 0, content: '' };
    const [next, turns] = [request.from + 1, [{ id: 'resp_1', bornAt: 1, parts, rawBytes: 9 }]];
    return Promise.resolve({
      parts: [{ id: 'resp_1', bornAt: 1, part, parts, content }],
      ...{ next: next < parts ? next : null, rawBytes: 9, bornAt: 1, oldestAt: 1 },
      ...(knowsTurns && next < parts && { turns }),
    });
  };
  return { control: { call } as unknown as ControlClient, call, asked };
}

it.each([
  ['of this release', true],
  ['of the release before', false],
])('reads a turn of several pages from a metering %s', async (_, knowsTurns) => {
  const { control, asked } = meteringOfOneTurn(knowsTurns);
  const store = new TurnStore(control, link, new FakeClock(), settings);
  const input = randomBytes(1_000_000);
  await store.keep({ ...facts, turn: { input, output: Buffer.from('[]'), rest: Buffer.from('{}') } });
  const found = await store.read({ accountId: 'account', id: 'resp_1', alone: false });
  expect(found?.turns.map((turn) => input.equals(turn.input))).toEqual([true]);
  expect(asked.length).toBeGreaterThan(1);
  const turns = knowsTurns ? [{ id: 'resp_1', bornAt: 1, parts: asked.length, rawBytes: 9 }] : undefined;
  expect(asked).toEqual(asked.map((_turns, page) => (page === 0 ? undefined : turns)));
});

it('opens each page as it comes, and not all of them in one turn of the event loop', async () => {
  const { call } = meteringOfOneTurn(true);
  let turn = 0;
  const openedIn = new Map<number, number>();
  const laterPage = async (...asked: Parameters<typeof call>) => {
    const page = await call(...asked);
    await nextTurn();
    if (!page) return page;
    turn += 1;
    const parts = page.parts.map(({ content, ...part }) => ({
      ...part,
      get content() {
        openedIn.set(turn, (openedIn.get(turn) ?? 0) + 1);
        return content;
      },
    }));
    return { ...page, parts };
  };
  const store = new TurnStore({ call: laterPage } as unknown as ControlClient, link, new FakeClock(), settings);
  const input = randomBytes(2_000_000);
  await store.keep({ ...facts, turn: { input, output: Buffer.from('[]'), rest: Buffer.from('{}') } });
  await store.read({ accountId: 'account', id: 'resp_1', alone: false });
  expect(openedIn.size).toBeGreaterThan(3);
  expect([...openedIn.values()]).toEqual([...openedIn.values()].map(() => 1));
});

it('gives all memory that it needed on the way back at once', async () => {
  const { control } = meteringOfOneTurn(true);
  const store = new TurnStore(control, link, new FakeClock(), settings);
  const input = randomBytes(2_000_000);
  const [seal, open] = [jest.spyOn(TurnCipher.prototype, 'seal'), jest.spyOn(TurnCipher.prototype, 'open')];
  await store.keep({ ...facts, turn: { input, output: Buffer.from('[]'), rest: Buffer.from('{}') } });
  const found = await store.read({ accountId: 'account', id: 'resp_1', alone: false });
  const passing = [seal, open].flatMap(({ mock }) => [
    ...mock.calls.map(([bytes]) => bytes),
    ...mock.results.flatMap(({ value }) => (value instanceof Uint8Array ? [value] : [])),
  ]);
  for (const spy of [seal, open]) spy.mockRestore();
  expect(passing.length).toBeGreaterThan(20);
  expect(passing.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(4_096);
  expect([input.length, found?.turns.map((turn) => input.equals(turn.input))]).toEqual([2_000_000, [true]]);
});
