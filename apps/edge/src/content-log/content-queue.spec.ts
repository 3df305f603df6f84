import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { NewLoggedContent } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import { ContentQueue } from './content-queue';
import type { ContentQueueParts } from './content-queue';

function entry(request = '{}', accountId = 'a'): NewLoggedContent {
  return {
    ...{ id: uuidv7(), requestId: 'r', keyId: 'k', accountId, model: 'm', surface: 'openai-chat', stream: false },
    ...{ state: 'completed', status: 200, cached: false, startedAt: 1, endedAt: 2, redactions: 0, retentionDays: 1 },
    ...{ request, answer: null, requestTruncated: false, answerTruncated: false },
  };
}

/** Longer than a machine that does other things holds this one up. */
const patienceMs = 30_000;

function rig(parts: Partial<ContentQueueParts> = {}) {
  const sent: NewLoggedContent[][] = [];
  const told: string[] = [];
  const queue = new ContentQueue({
    maxEntries: 8,
    maxBytes: 100_000,
    messageBytes: 20_000,
    retryMs: 10,
    send: async (entries) => void sent.push(entries),
    onKept: (entries) => told.push(`kept ${entries}`),
    onDropped: (reason, entries) => told.push(`${reason} ${entries}`),
    ...parts,
  });
  return { queue, sent, told };
}
const away = () => Promise.reject(new ControlError('unavailable', 'away'));

it('sends what comes, together as far as a message goes, in its order', async () => {
  const { queue, sent, told } = rig();
  const entries = [1, 2, 3, 4, 5].map(() => entry('x'.repeat(8_000)));
  for (const one of entries) queue.push(one);
  await queue.flush(patienceMs);
  expect(sent.flat()).toEqual(entries);
  expect(sent.map(({ length }) => length)).toEqual([1, 2, 2]);
  expect([told, queue.bytes]).toEqual([['kept 1', 'kept 2', 'kept 2'], 0]);
});

it('leaves room for what others log, however much one account does', async () => {
  let isAway = true;
  const sent: NewLoggedContent[] = [];
  const send = async (entries: NewLoggedContent[]) => (isAway ? away() : void sent.push(...entries));
  const { queue } = rig({ send, maxEntries: 40 });
  for (let count = 0; count < 100; count++) queue.push(entry('{}', 'greedy'));
  for (let count = 0; count < 5; count++) queue.push(entry('{}', 'modest'));
  isAway = false;
  await queue.flush(patienceMs);
  const kept = (account: string) => sent.filter(({ accountId }) => accountId === account).length;
  expect([kept('greedy'), kept('modest')]).toEqual([30, 5]);
  // What was sent does not count any more.
  for (let count = 0; count < 30; count++) queue.push(entry('{}', 'greedy'));
  await queue.flush(patienceMs);
  expect(kept('greedy')).toBe(60);
});

it('keeps to its bounds while metering is away: what comes last is dropped, what came first is sent when it is back', async () => {
  let isAway = true;
  const sent: NewLoggedContent[] = [];
  let tries = 0;
  const send = async (entries: NewLoggedContent[]) => {
    tries += 1;
    return isAway ? away() : void sent.push(...entries);
  };
  const { queue, told } = rig({ send });
  const entries = Array.from({ length: 9 }, () => entry());
  for (const one of entries) queue.push(one);
  expect(told).toEqual(['full 1', 'full 1', 'full 1']);
  await eventually(() => tries > 1);
  isAway = false;
  await queue.flush(patienceMs);
  expect(sent).toEqual(entries.slice(0, 6));
  const bytes = rig({ send: away, maxBytes: 12_000 });
  for (let count = 0; count < 3; count++) bytes.queue.push(entry('x'.repeat(4_000)));
  expect(bytes.told).toEqual(['full 1']);
  expect(bytes.queue.bytes).toBeLessThanOrEqual(10_000);
  bytes.queue.close();
});

it('drops what is refused or can never be sent, and goes on', async () => {
  let isFirst = true;
  const send = async () => {
    if (!isFirst) return;
    isFirst = false;
    throw new ControlError('invalid', 'no');
  };
  const { queue, told } = rig({ send, messageBytes: 1_000 });
  queue.push(entry('x'.repeat(2_000)));
  queue.push(entry());
  await queue.flush(patienceMs);
  queue.push(entry());
  await queue.flush(patienceMs);
  expect(told).toEqual(['too_large 1', 'refused 1', 'kept 1']);
});

it('gives up at its end, and says how much', async () => {
  const { queue, told } = rig({ send: away });
  queue.push(entry());
  queue.push(entry());
  await queue.flush(30);
  queue.close();
  queue.push(entry());
  expect([told, queue.bytes]).toEqual([['stopped 2', 'stopped 1'], 0]);
});
