import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { Caller } from '../callers/authenticator';
import type { CallersWait } from '../generation/caller-left';
import { inPieces } from '../http/in-pieces';
import type { Settings } from '../settings';
import { inCountedTurns } from '../testing/in-counted-turns';
import { ConversationsController } from './conversations.controller';
import { ReadingMemory } from './reading-memory';
import { ResponsesController } from './responses.controller';

const mebibyte = 1_048_576;
const memory = new ReadingMemory({ bodyMemory: 1_024 * mebibyte } as Settings);
const caller = { key: { id: 'key', accountId: 'account' } as CallerKey } as Caller;
const waits: CallersWait = (wait) => wait(new AbortController().signal);
const message = { type: 'message', role: 'user', content: 'x'.repeat(8 * mebibyte) };
/** As it comes out of what was kept, in memory of its own. */
const ownMemory = (value: unknown) => Buffer.from(new TextEncoder().encode(JSON.stringify(value)).buffer);
/** What is left of an answer once it was sent, bytes. */
const leftOf = async (answer: Buffer): Promise<number> => {
  const raw = new EventEmitter();
  inPieces(answer, { raw, header: () => undefined } as never);
  raw.emit('close');
  await nextTurn();
  return answer.length;
};
const itemsOf = (page: Buffer): unknown => (JSON.parse(page.toString('utf8')) as { data: unknown }).data;

describe('what is kept and is asked for goes out in turns of the event loop, and its memory goes back', () => {
  it('an item of a conversation, and a list of them', async () => {
    const kept = [ownMemory(message), ownMemory(message)];
    const conversations = (text: Buffer | undefined) =>
      new ConversationsController(
        { items: () => Promise.resolve({ items: [{ id: 'msg_1', text }], isMore: false }) } as never,
        ...([memory, {}, {}] as unknown as [never, never, never]),
      );
    const { result: item, turns } = await inCountedTurns(() =>
      conversations(kept[0]).item('conv_1', 'msg_1', caller, waits),
    );
    expect(JSON.parse(item.toString('utf8'))).toMatchObject({ id: 'msg_1', type: 'message' });
    expect(turns).toBeGreaterThanOrEqual(31);
    const page = await conversations(kept[1]).items('conv_1', caller, waits, {});
    expect(itemsOf(page)).toMatchObject([{ id: 'msg_1' }]);
    expect(kept.map(({ length }) => length)).toEqual([0, 0]);
    expect([await leftOf(item), await leftOf(page)]).toEqual([0, 0]);
  });

  it('a response, and what it was made from', async () => {
    const whole = ownMemory([message]);
    const rest = { id: 'resp_1', status: 'completed' };
    const turn = { input: whole, output: whole.subarray(0), rest: Buffer.from(JSON.stringify(rest)) };
    const responses = new ResponsesController(
      { read: () => Promise.resolve({ turns: [turn], bornAt: 1, oldestAt: 1 }) } as never,
      ...([{}, {}, {}, memory] as unknown as [never, never, never, never]),
    );
    const page = await responses.inputItems('resp_1', caller, waits, {});
    expect(itemsOf(page)).toMatchObject([{ type: 'message', role: 'user' }]);
    expect([turn.input.length, turn.output.length]).toEqual([0, 0]);
    expect(await leftOf(page)).toBe(0);
  });
});
