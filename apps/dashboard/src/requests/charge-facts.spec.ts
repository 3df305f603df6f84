import { noUsage } from '@tollgate/contracts';
import { formatExactMoney } from '../format/money';
import { formatCount } from '../format/number';
import { budgetFacts, quotaFacts } from './charge-facts';

const held = { budgetId: 'b-1', name: 'team', unit: 'usd' as const, heldNanoUsd: '10000000', spentNanoUsd: '4200000' };
const [reserved, spent, rest] = ['10000000', '4200000', '5800000'].map((nanos) => formatExactMoney(nanos));

it('tells what was reserved of a budget, and what of it was spent and released', () => {
  expect(budgetFacts(held)).toEqual([['Budget team', `${reserved} reserved, ${spent} spent, ${rest} released`]]);
});

it('tells what was spent on top of it', () => {
  const [[, told] = []] = budgetFacts({ ...held, heldNanoUsd: '4200000', spentNanoUsd: '10000000' });
  expect(told).toBe(`${spent} reserved, ${reserved} spent, ${rest} on top`);
});

it('tells tokens of one in tokens', () => {
  const ofTokens = { ...held, unit: 'tokens' as const, heldNanoUsd: '500', spentNanoUsd: '120' };
  expect(budgetFacts(ofTokens)).toEqual([
    ['Budget team', '500 tokens reserved, 120 tokens spent, 380 tokens released'],
  ]);
});

it('tells of one that was removed by its id, without what it does not know', () => {
  expect(budgetFacts({ ...held, name: null, spentNanoUsd: null })).toEqual([
    ['Budget b-1', `${reserved} reserved; it was removed`],
  ]);
});

const usage = { ...noUsage, input: 200, output: 100 };

it('tells what was reserved, and what of it was used and released', () => {
  expect(quotaFacts({ lease: 'l', reserved: 1_200, usage })).toEqual([
    ['Reserved', `${formatCount(1_200)} tokens`],
    ['Used', '300 tokens'],
    ['Released', '900 tokens'],
  ]);
});

it('tells what was taken on top of it, and that there was no lease to take it from', () => {
  expect(quotaFacts({ lease: null, reserved: 299, usage })).toEqual([
    ['Reserved', '299 tokens, while the ledger was away'],
    ['Used', '300 tokens'],
    ['Taken on top', '1 token'],
  ]);
});

it('says so where it is not known, and nothing where nothing was reserved', () => {
  expect(quotaFacts({ lease: 'l', usage })).toEqual([['Reserved', 'an amount that was not kept']]);
  expect(quotaFacts({ lease: null, usage })).toEqual([]);
});
