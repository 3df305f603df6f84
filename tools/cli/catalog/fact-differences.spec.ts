import { aModel } from '@tollgate/testing';
import { factDifferences } from './fact-differences';
import { readModelsDevFacts } from './document-facts';

const model = aModel({
  id: 'moonshot/kimi-k3',
  contextWindow: 1_048_576,
  inputModalities: ['text', 'image'],
  capabilities: { vision: true, reasoning: true },
  deployments: [{ id: 'moonshot:kimi-k3', provider: 'moonshot', upstreamModel: 'kimi-k3' }],
});
const told = (facts: object) =>
  factDifferences([model], readModelsDevFacts({ moonshotai: { models: { 'kimi-k3': facts } } }));

it('finds nothing where both tell the same, in whatever order, or the document tells nothing', () => {
  expect(told({})).toEqual([]);
  const limit = { context: 1_048_576, output: 0 };
  expect(
    told({
      limit,
      modalities: { input: ['image', 'text'] },
      reasoning: true,
      tool_call: true,
      structured_output: true,
    }),
  ).toEqual([]);
  expect(
    factDifferences([model], readModelsDevFacts({ other: { models: { 'kimi-k3': { reasoning: false } } } })),
  ).toEqual([]);
});

it('tells each fact that differs, by the name that the document has for the provider', () => {
  const limit = { context: 262_144, output: 65_536 };
  expect(
    told({ limit, modalities: { input: ['text'] }, reasoning: false, structured_output: false, status: 'deprecated' }),
  ).toEqual([
    { model: 'moonshot/kimi-k3', fact: 'context', ours: '1,048,576', theirs: '262,144' },
    { model: 'moonshot/kimi-k3', fact: 'output limit', ours: 'not known', theirs: '65,536' },
    { model: 'moonshot/kimi-k3', fact: 'input', ours: 'image, text', theirs: 'text' },
    { model: 'moonshot/kimi-k3', fact: 'reasoning', ours: 'yes', theirs: 'no' },
    { model: 'moonshot/kimi-k3', fact: 'structured output', ours: 'yes', theirs: 'no' },
    { model: 'moonshot/kimi-k3', fact: 'deprecated', ours: 'no', theirs: 'yes' },
  ]);
});

it('refuses what is no document of models.dev', () => {
  expect(() => readModelsDevFacts({ moonshotai: [] })).toThrow();
});
