import { isModelAllowed } from './model-access';

describe('the models of a key', () => {
  it.each([
    [[], 'openai/gpt-5.4', true],
    [['openai/*'], 'openai/gpt-5.4', true],
    [['openai/*'], 'openai-eu/gpt-5.4', false],
    [['*'], 'a/b/c', true],
    [['openai/gpt-5.4'], 'openai/gpt-5x4', false],
    [['openai/gpt-5.4'], 'openai/gpt-5.4-mini', false],
    [['x', '*-mini'], 'openai/gpt-5.4-mini', true],
    [['(a+)+$'], 'aaaaaaaa', false],
  ])('%j and %s: %s', (patterns, model, allowed) => {
    expect(isModelAllowed(patterns, model)).toBe(allowed);
  });

  it('takes a hostile pattern in no time', () => {
    const begin = performance.now();
    expect(isModelAllowed([`${'*'.repeat(2_000)}x`], 'a'.repeat(200))).toBe(false);
    expect(performance.now() - begin).toBeLessThan(20_000);
  });
});
