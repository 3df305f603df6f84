import { isModelAllowed } from '@tollgate/contracts/catalog';
import { modelPatternCases } from './model-patterns';

describe('the models of a key', () => {
  it.each(modelPatternCases)('%j and %s: %s', (patterns, model, allowed) => {
    expect(isModelAllowed(patterns, model)).toBe(allowed);
  });

  it.each(['*-', '*', '*-*'])('comes to an end of many %s, which going back and forth would not', (part) => {
    expect(isModelAllowed([`${part.repeat(40)}prod`], '-'.repeat(128))).toBe(false);
    expect(isModelAllowed([`${part.repeat(40)}prod`], `${'-'.repeat(128)}prod`)).toBe(true);
  });
});
