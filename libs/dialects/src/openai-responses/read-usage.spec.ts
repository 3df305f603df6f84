import { toldCharge } from './read-usage';

describe('what a provider says that a request costs', () => {
  it.each([
    ['ticks of xAI', { cost_in_usd_ticks: 37_756_000 }, '3775600'],
    ['dollars of OpenRouter', { cost: 0.00014, is_byok: false }, '140000'],
    [
      'parts of Perplexity',
      { cost: { input_tokens_cost: 0.000002, request_cost: 0.006, total_cost: 0.006002 } },
      '6002000',
    ],
    [
      "the fee of OpenRouter and the charge of the provider whose key is the account's own",
      { cost: 0.95, is_byok: true, cost_details: { upstream_inference_cost: 19 } },
      '19950000000',
    ],
    [
      'the same charge twice, which counts once',
      { cost: 0.00014, is_byok: false, cost_details: { upstream_inference_cost: 0.00014 } },
      '140000',
    ],
  ])('is read from %s', (_, usage, nanoUsd) => expect(toldCharge(usage)).toBe(nanoUsd));

  it.each([
    ['nothing is told', {}],
    ['the fee alone is told', { cost: 0.95, is_byok: true, cost_details: { upstream_inference_cost: null } }],
    ['it is no number', { cost: 'much' }],
  ])('is unknown where %s', (_, usage) => expect(toldCharge(usage)).toBeUndefined());
});
