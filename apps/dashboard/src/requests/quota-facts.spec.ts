import { noUsage } from '@tollgate/contracts';
import { formatCount } from '../format/number';
import { quotaFacts } from './quota-facts';

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
