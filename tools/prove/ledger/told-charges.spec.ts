import type { Outcome } from '../exchange';
import type { StoredEvent } from './stored-events';
import { auditTold, sawEveryWay, toldInWords, wishFor } from './told-charges';

const nothing = { plain: 0, streamed: 0, byHeader: 0, byKey: 0, kept: 0, unpriced: 0, unavailable: 0 };

interface Seen {
  wish?: string;
  state?: string;
  stream?: boolean;
  kept?: bigint | null;
  keyTells?: boolean;
}

const audit = (
  costs: string[],
  { wish, state = 'complete', stream = false, kept = 1_500n, keyTells = true }: Seen = {},
) => {
  const headers = wish === undefined ? {} : { 'x-tollgate-cost': wish };
  const outcome = { costs, state, request: { id: 'a', stream, beside: { members: {}, headers } } };
  const event = { request_id: 'a', cost_nano_usd: kept };
  return auditTold([outcome as unknown as Outcome], [event as unknown as StoredEvent], keyTells);
};

it('counts what is told as the ledger has it, by the way in which it was', () => {
  expect(audit(['0.0000015'], { wish: 'on', stream: true })).toEqual({
    problems: [],
    told: { ...nothing, streamed: 1, byHeader: 1 },
  });
  expect(audit(['unpriced'], { kept: null })).toEqual({
    problems: [],
    told: { ...nothing, plain: 1, byKey: 1, unpriced: 1 },
  });
  expect(audit([], { wish: 'off' })).toEqual({ problems: [], told: { ...nothing, kept: 1 } });
});

it('expects nothing where neither the key nor the request asks for it', () => {
  expect(audit([], { keyTells: false })).toEqual({ problems: [], told: { ...nothing, kept: 1 } });
  expect(audit(['0.0000015'], { keyTells: false }).problems).toEqual([expect.stringContaining('did not want it')]);
  expect(audit([], { keyTells: false, wish: 'on' }).problems).toEqual([expect.stringContaining('0 times')]);
});

it.each([
  ['another charge', ['0.0000016'], {}, 'told 0.0000016, and the ledger has 0.0000015'],
  ['another charge of a stream that then broke', ['1'], { state: 'failed' }, 'told 1, and the ledger'],
  ['a charge of what has no price', ['0'], { kept: null }, 'the ledger has unpriced'],
  ['none', [], {}, 'told its charge 0 times'],
  ['it twice', ['0.0000015', '0.0000015'], { stream: true }, 'told its charge 2 times'],
  ['it though it was asked not to', ['0.0000015'], { wish: 'off' }, 'did not want it'],
])('finds who was told %s', (_, costs, more, words) => {
  expect(audit(costs, more).problems).toEqual([expect.stringContaining(words)]);
});

it('expects nothing of an answer that broke, and allows few that nobody could price in time', () => {
  expect(audit([], { state: 'failed' }).problems).toEqual([]);
  const all = { plain: 50, streamed: 50, byHeader: 50, byKey: 50, kept: 50, unpriced: 1 };
  expect(audit(['unavailable']).told.unavailable).toBe(1);
  expect([20, 21].map((unavailable) => sawEveryWay({ ...all, unavailable }))).toEqual([true, false]);
  expect(sawEveryWay({ ...all, unavailable: 0, byKey: 0 })).toBe(false);
  expect(toldInWords({ ...all, unavailable: 20 })).toContain('100 whole answers told their charge');
});

it('has each third of a load say otherwise', () => {
  expect([0, 20, 40].map(wishFor)).toEqual([{ 'x-tollgate-cost': 'on' }, {}, { 'x-tollgate-cost': 'off' }]);
});
