import { fallbackCircles } from './model-problems';

const graph = (edges: Record<string, string[]>) => Object.entries(edges).map(([id, fallbacks]) => ({ id, fallbacks }));

describe('fallbackCircles', () => {
  it('finds none in chains and diamonds', () => {
    expect(fallbackCircles(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });

  it('tells a circle once, and not the way into it', () => {
    expect(fallbackCircles(graph({ x: ['a'], a: ['b'], b: ['c'], c: ['a'] }))).toEqual([['a', 'b', 'c']]);
  });

  it('leaves a model that names itself, or none that exists, to others', () => {
    expect(fallbackCircles(graph({ a: ['a', 'gone'] }))).toEqual([]);
  });
});
