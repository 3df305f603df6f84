import { modelPatternCases } from '@tollgate/testing';
import { isModelAllowed } from './model-access';

describe('the models of a key', () => {
  it.each(modelPatternCases)('%j and %s: %s', (patterns, model, allowed) => {
    expect(isModelAllowed(patterns, model)).toBe(allowed);
  });

  it('takes a hostile pattern in no time', () => {
    const begin = performance.now();
    expect(isModelAllowed([`${'*'.repeat(2_000)}x`], 'a'.repeat(200))).toBe(false);
    expect(performance.now() - begin).toBeLessThan(20_000);
  });
});
