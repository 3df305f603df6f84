import type { Outcome } from '../exchange';
import type { StoredEvent } from './stored-events';
import { noneTold, sawEveryWay, toldInWords, wishFor, wrongTold } from './told-charges';

const judge = (
  costs: string[],
  more: { wish?: string; state?: string; stream?: boolean; kept?: bigint | null } = {},
) => {
  const { wish, state = 'complete', stream = false, kept = 1_500n } = more;
  const headers = wish === undefined ? {} : { 'x-tollgate-cost': wish };
  const outcome = { costs, state, request: { stream, beside: { members: {}, headers } } } as unknown as Outcome;
  const told = { ...noneTold };
  const problems = wrongTold(told, outcome, { cost_nano_usd: kept } as unknown as StoredEvent);
  return { problems, told };
};

it('counts what is told as the ledger has it, by the way in which it was', () => {
  expect(judge(['0.0000015'], { wish: 'on', stream: true })).toEqual({
    problems: [],
    told: { ...noneTold, streamed: 1, byHeader: 1 },
  });
  expect(judge(['unpriced'], { kept: null })).toEqual({
    problems: [],
    told: { ...noneTold, plain: 1, byKey: 1, unpriced: 1 },
  });
  expect(judge([], { wish: 'off' })).toEqual({ problems: [], told: { ...noneTold, kept: 1 } });
});

it.each([
  ['another charge', ['0.0000016'], {}, 'told 0.0000016, and the ledger has 0.0000015'],
  ['another charge of a stream that then broke', ['1'], { state: 'failed' }, 'told 1, and the ledger'],
  ['a charge of what has no price', ['0'], { kept: null }, 'the ledger has unpriced'],
  ['none', [], {}, 'told its charge 0 times'],
  ['it twice', ['0.0000015', '0.0000015'], { stream: true }, 'told its charge 2 times'],
  ['it though it was asked not to', ['0.0000015'], { wish: 'off' }, 'did not want it'],
])('finds who was told %s', (_, costs, more, words) => {
  expect(judge(costs, more).problems).toEqual([expect.stringContaining(words)]);
});

it('expects nothing of an answer that broke, and allows few that nobody could price in time', () => {
  expect(judge([], { state: 'failed' }).problems).toEqual([]);
  const all = { plain: 50, streamed: 50, byHeader: 50, byKey: 50, kept: 50, unpriced: 1 };
  expect(judge(['unavailable']).told.unavailable).toBe(1);
  expect([20, 21].map((unavailable) => sawEveryWay({ ...all, unavailable }))).toEqual([true, false]);
  expect(sawEveryWay({ ...all, unavailable: 0, byKey: 0 })).toBe(false);
  expect(toldInWords({ ...all, unavailable: 20 })).toContain('100 whole answers told their charge');
});

it('has each third of a load say otherwise', () => {
  expect([0, 20, 40].map(wishFor)).toEqual([{ 'x-tollgate-cost': 'on' }, {}, { 'x-tollgate-cost': 'off' }]);
});
