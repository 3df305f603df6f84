/**
 * Patterns of models, the id of one, and whether they match it. Edge matches them by itself, and Postgres
 * where it sums what budgets of these models count: both have to find the same.
 */
export const modelPatternCases: [patterns: string[], model: string, matches: boolean][] = [
  [[], 'openai/gpt-5.4', true],
  [['openai/*'], 'openai/gpt-5.4', true],
  [['openai/*'], 'openai-eu/gpt-5.4', false],
  [['openai/*'], 'eu/openai/gpt-5.4', false],
  [['*'], 'a/b/c', true],
  [['**'], 'a/b/c', true],
  [['a*c'], 'a/b\nc', true],
  [['openai/gpt-5.4'], 'openai/gpt-5x4', false],
  [['openai/gpt-5.4'], 'openai/gpt-5.4-mini', false],
  [['openai/gpt-5.4'], 'OpenAI/gpt-5.4', false],
  [['x', '*-mini'], 'openai/gpt-5.4-mini', true],
  [['(a+)+$'], 'aaaaaaaa', false],
  [['acme/a_b'], 'acme/a-b', false],
  [['acme/a_b'], 'acme/a_b', true],
  [['acme/100%'], 'acme/1000', false],
  [['acme/100%'], 'acme/100%', true],
  [['a*\\*'], 'a\\b', true],
  [['a\\*'], 'a*', false],
  [['a*b*c'], 'abc', true],
  [['a**b'], 'ab', true],
  [['ab*ba'], 'aba', false],
  [['*ab*ab'], 'ab', false],
  [['*ab*ab'], 'abab', true],
  [['*ab*c'], 'ab-abc-ab', false],
  [['*ab*ac'], 'abab-aac', true],
  [['a*b*'], 'b-a', false],
  [['*'], '', true],
];
