import { countTextTokens } from './o200k';

it('counts as OpenAI’s tokenizer does', () => {
  expect(countTextTokens('')).toBe(0);
  expect(countTextTokens('hello world')).toBe(2);
  expect(countTextTokens('antidisestablishmentarianism')).toBe(6);
});

it('takes control tokens in a text for text', () => expect(countTextTokens('<|endoftext|>')).toBeGreaterThan(1));

it('does not choke on unbroken runs', () => {
  for (const text of ['a'.repeat(100_000), ' '.repeat(100_000), '='.repeat(100_000)]) {
    expect(countTextTokens(text)).toBeGreaterThan(100);
  }
});

it('extrapolates beyond 200,000 characters', () => {
  const text = 'hello world '.repeat(50_000);
  expect(countTextTokens(text) / 100_000).toBeCloseTo(1, 1);
});
