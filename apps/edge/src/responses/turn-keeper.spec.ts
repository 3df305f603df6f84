import { ControlError } from '@tollgate/contracts';
import { createLogger } from '@tollgate/observability';
import type { Answer } from '../generation/answer';
import type { BodyThreads } from '../generation/body-threads';
import type { CallerResponse } from '../generation/caller-response';
import type { EdgeMetrics } from '../edge-metrics';
import type { RequestContext } from '../http/request-context';
import type { Settings } from '../settings';
import { FakeClock } from '../testing/fake-clock';
import { readTold } from './told-response';
import { TurnKeeper, KeepingPauses } from './turn-keeper';
import type { TurnStore } from './turn-store';

const nothing = () => undefined;
const caller: Answer = { head: nothing, data: nothing, end: nothing, fail: nothing, tick: nothing };

/**
 * A keeper that gathers 600 bytes at once, the ids of what it kept, and plain answers of 60 bytes. `reach`:
 * resolves when its store is reached, or rejects.
 */
function keeperOf600(reach: () => Promise<void> = () => Promise.resolve()) {
  const kept: string[] = [];
  const warned: string[] = [];
  const keep = ({ id }: { id: string }) => reach().then(() => void kept.push(id));
  const keeper = new TurnKeeper(
    { keep } as unknown as TurnStore,
    {
      takeApart: (_key: string, pieces: Uint8Array[], isEvent: boolean) =>
        Promise.resolve(readTold(Buffer.concat(pieces), isEvent)),
    } as unknown as BodyThreads,
    new FakeClock(),
    { responseStored: nothing } as unknown as EdgeMetrics,
    { storesResponses: true, bodyLimit: 1_000, bodyMemory: 2_400 } as Settings,
    createLogger('test', 'silent'),
  );
  const begin = (id: string, accountId: string) => {
    const overs: (() => void)[] = [];
    const answer = keeper.keeping(
      {
        key: { id: 'key', accountId },
        bornAt: 0,
        previous: null,
        input: Buffer.from('[]'),
        isStored: true,
        isBackground: false,
        conversation: null,
        near: null,
      },
      {
        answer: caller,
        response: { onConsumed: nothing } as unknown as CallerResponse,
        context: { warn: (words: string) => void warned.push(words) } as unknown as RequestContext,
        stream: null,
        onOver: (run) => void overs.push(run),
      },
    );
    answer.head({ status: 200, headers: {} });
    answer.data(Buffer.from(JSON.stringify({ id, status: 'completed', output: [] }).padEnd(60)));
    const over = () => overs.forEach((run) => run());
    return { end: () => answer.end(), over };
  };
  return { begin, kept, warned };
}

describe('plain answers that are gathered to be kept', () => {
  it('hold their memory until their request is over, and no longer', async () => {
    const { begin, kept, warned } = keeperOf600();
    const ids = Array.from({ length: 12 }, (_, index) => `resp_${index}`);
    for (const id of ids) {
      const { end, over } = begin(id, 'account');
      await end();
      over();
    }
    expect([kept, warned]).toEqual([ids, []]);
  });

  it('leave room to those of another account, and are told where they found none', async () => {
    const { begin, kept, warned } = keeperOf600();
    const ids = Array.from({ length: 8 }, (_, index) => `resp_${index}`);
    const open = [...ids.map((id) => begin(id, 'one')), begin('resp_other', 'other')];
    for (const { end } of open) await end();
    expect(kept).toEqual([...ids.slice(0, 7), 'resp_other']);
    expect(warned).toEqual(['the response was not stored: it cannot be gone on from by its id']);
    for (const { over } of open) over();
    await begin('resp_later', 'one').end();
    expect(kept.at(-1)).toBe('resp_later');
  });
});

describe('where the store was away', () => {
  const away = () => Promise.reject(new ControlError('unavailable', 'nobody answers'));

  it('responses are kept again as soon as one of them could be', async () => {
    let reach: () => Promise<void> = away;
    const { begin, kept, warned } = keeperOf600(() => reach());
    await begin('resp_lost', 'account').end();
    reach = () => Promise.resolve();
    // It is told at once, before it is known whether it is kept.
    await begin('resp_tried', 'account').end();
    expect(warned).toHaveLength(2);
    await new Promise(setImmediate);
    await begin('resp_kept', 'account').end();
    expect([kept, warned.length]).toEqual([['resp_tried', 'resp_kept'], 2]);
  });

  it('one response of an account is tried at a time, and nobody waits for it', async () => {
    let reach: () => Promise<void> = away;
    let reached = 0;
    const { begin, warned } = keeperOf600(() => (reached++, reach()));
    await begin('resp_lost', 'account').end();
    let answer: () => void = nothing;
    reach = () => new Promise((resolve) => (answer = resolve));
    for (const id of ['resp_tried', 'resp_other', 'resp_another']) await begin(id, 'account').end();
    expect([reached, warned.length]).toEqual([2, 4]);
    answer();
  });
});

it('has nobody but the one account wait no more for what takes it too long', () => {
  const pauses = new KeepingPauses(5_000);
  for (const now of [0, 10, 20]) pauses.tookTooLong('one', now);
  expect([pauses.isPaused('one', 5_019), pauses.isPaused('other', 30)]).toEqual([true, false]);
  expect(pauses.isPaused('one', 5_020)).toBe(false);
});

it('is for all where two accounts waited in vain', () => {
  const pauses = new KeepingPauses(5_000);
  pauses.tookTooLong('one', 0);
  pauses.tookTooLong('two', 4_000);
  expect(pauses.isPaused('three', 4_999)).toBe(true);
  expect([pauses.isPaused('three', 5_000), pauses.isPaused('two', 5_000)]).toEqual([false, true]);
});

it('is over for an account of which a response is kept, one being tried at a time', () => {
  const pauses = new KeepingPauses(5_000);
  pauses.tookTooLong('one', 0);
  expect([pauses.mayTry('one'), pauses.mayTry('one'), pauses.mayTry('other')]).toEqual([true, false, true]);
  pauses.tried('one');
  expect([pauses.isPaused('one', 1), pauses.mayTry('one')]).toEqual([true, true]);
  pauses.kept('one');
  expect(pauses.isPaused('one', 1)).toBe(false);
});
