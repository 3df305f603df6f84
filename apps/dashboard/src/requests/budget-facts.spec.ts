import { formatExactMoney } from '../format/money';
import { budgetFacts } from './budget-facts';

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
