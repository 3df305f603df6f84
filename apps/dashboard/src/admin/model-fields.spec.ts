import type { AdminModel } from '../api/admin';
import { modelFields, modelFieldsOf, modelWishOf } from './model-fields';

const model = {
  ...{ id: 'openai/o9', name: 'O9', contextWindow: 100, maxOutputTokens: null, aliases: ['o9', 'nine'], fallbacks: [] },
  deployments: [
    { id: 'openai:o9', provider: 'openai', upstreamModel: 'o9' },
    { id: 'eu', provider: 'azure', upstreamModel: 'our/o9', priority: 1, weight: 0.5, maxConcurrent: 20 },
  ],
} as unknown as AdminModel;

it('shows what a model says, a line for each place, and what the settings say before all', () => {
  expect(modelFieldsOf(model, { fallbacks: ['a/b', 'c/d'] })).toMatchObject({
    ...{ name: 'O9', aliases: 'nine', contextWindow: '100', maxOutputTokens: '', fallbacks: 'a/b\nc/d' },
    deployments: 'openai/o9\nazure/our/o9 id=eu priority=1 weight=0.5 at-once=20',
  });
});

it('sets what was typed, and nothing else', () => {
  const before = modelFieldsOf(model, null);
  expect(modelWishOf({ ...before, fallbacks: ' a/b \n\n', reason: 'why' }, before, 4)).toEqual({
    ...{ model: 'openai/o9', version: 4, fallbacks: ['a/b'], reason: 'why' },
  });
  expect(modelWishOf({ ...before, contextWindow: '', aliases: '' }, before, 4)).toEqual({
    ...{ model: 'openai/o9', version: 4, aliases: [], unset: ['contextWindow'] },
  });
  const typed = { ...before, deployments: 'azure/our/o9 weight=2 id=eu\nopenai', maxOutputTokens: '9' };
  expect(modelWishOf(typed, before, 4)).toEqual({
    ...{ model: 'openai/o9', version: 4, maxOutputTokens: 9 },
    deployments: [{ id: 'eu', provider: 'azure', upstreamModel: 'our/o9', weight: 2 }, { provider: 'openai' }],
  });
});

it.each([
  [{ deployments: 'openai/o9 wight=3' }, 'deployments'],
  [{ deployments: 'openai/o9 at-once=0' }, 'deployments'],
  [{ contextWindow: 'many' }, 'contextWindow'],
  [{ model: 'openai/o9' }, 'model'],
  [{ model: 'a b' }, 'model'],
])('refuses %j', (typed, field) => {
  const { error } = modelFields(['openai/o9']).safeParse({ ...modelFieldsOf(null, null), model: 'x/y', ...typed });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});
