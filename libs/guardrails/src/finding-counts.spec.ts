import { ControlError } from '@tollgate/contracts';
import type { FoundInHour } from '@tollgate/contracts/metering';
import { FindingCounts } from './finding-counts';

const hourMs = 3_600_000;

function setUp() {
  let nowMs = 10 * hourMs;
  const kept: FoundInHour[][] = [];
  const dropped: number[] = [];
  const counts = new FindingCounts(
    'edge-1',
    (count) => dropped.push(count),
    () => nowMs,
  );
  const keep = (hours: FoundInHour[]) => Promise.resolve(void kept.push(hours));
  return { counts, kept, keep, dropped, pass: (ms: number) => (nowMs += ms) };
}

it('counts by hour, guardrail, side and action, and tells what is new as a count of the whole hour', async () => {
  const { counts, kept, keep, pass } = setUp();
  counts.add('cards', 'input', 'block');
  counts.add('cards', 'input', 'block');
  counts.add('cards', 'output', 'redact');
  await counts.tell(keep);
  await counts.tell(keep);
  counts.add('cards', 'input', 'block');
  pass(hourMs);
  counts.add('cards', 'input', 'block');
  await counts.tell(keep);
  const row = { guardrail: 'cards', side: 'input', action: 'block', hour: 10 * hourMs, toldBy: 'edge-1' };
  expect(kept).toEqual([
    [
      { ...row, count: 2 },
      { ...row, side: 'output', action: 'redact', count: 1 },
    ],
    [
      { ...row, count: 3 },
      { ...row, hour: 11 * hourMs, count: 1 },
    ],
  ]);
});

it('tells again what nobody kept, and drops it after six hours', async () => {
  const { counts, kept, keep, dropped, pass } = setUp();
  const away = () => Promise.reject(new ControlError('unavailable', 'away'));
  counts.add('cards', 'input', 'flag');
  await counts.tell(away);
  pass(5 * hourMs);
  await counts.tell(keep);
  expect(kept.flat()).toMatchObject([{ count: 1 }]);
  counts.add('cards', 'input', 'flag');
  await counts.tell(away);
  pass(6 * hourMs);
  await counts.tell(keep);
  expect(kept).toHaveLength(1);
  expect(dropped).toEqual([1]);
});

it('counts no more than it has room for', async () => {
  const { counts, kept, keep, dropped } = setUp();
  for (let one = 0; one < 10_001; one += 1) counts.add(`rule-${one}`, 'input', 'flag');
  counts.add('rule-0', 'input', 'flag');
  await counts.tell(keep);
  expect(kept.map((part) => part.length)).toEqual(Array.from({ length: 20 }, () => 500));
  expect(kept[0]?.[0]).toMatchObject({ guardrail: 'rule-0', count: 2 });
  expect(dropped).toEqual([1]);
});
