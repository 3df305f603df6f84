import type { AdminModel } from '../api/admin';
import { modelFields, modelFieldsOf, modelWishOf } from './model-fields';

const model = {
  ...{ id: 'openai/o9', name: 'O9', contextWindow: 100, maxOutputTokens: null, aliases: ['o9', 'nine'], fallbacks: [] },
  deployments: [
    { id: 'openai:o9', provider: 'openai', upstreamModel: 'o9' },
    { id: 'eu', provider: 'azure', upstreamModel: 'our/o9', priority: 1, weight: 0.5, maxConcurrent: 20 },
  ],
} as unknown as AdminModel;

const end = { deprecated: null, successor: null, redirects: false };

it('shows what a model says, a line for each place, and what the settings say before all', () => {
  expect(modelFieldsOf(model, { fallbacks: ['a/b', 'c/d'] })).toMatchObject({
    ...{ name: 'O9', aliases: 'nine', contextWindow: '100', maxOutputTokens: '', fallbacks: 'a/b\nc/d' },
    deployments: 'openai/o9\nazure/our/o9 id=eu priority=1 weight=0.5 at-once=20',
  });
  const said = { timeouts: { idleMs: 9, connectMs: 8 }, hedgeAfterMs: 7, retirement: { ...end, date: '2027-01-31' } };
  expect(modelFieldsOf(model, said)).toMatchObject({
    ...{ timeouts: 'connect=8 idle=9', hedgeAfterMs: '7', end: '2027-01-31' },
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
  const hedged = { ...before, timeouts: 'total=60000  connect=3000', hedgeAfterMs: '800', end: '2027-01-31' };
  expect(
    modelWishOf(hedged, before, 4, { deprecated: '2026-12-01', date: null, successor: 'a/b', redirects: true }),
  ).toEqual({
    ...{ model: 'openai/o9', version: 4, timeouts: { totalMs: 60_000, connectMs: 3_000 }, hedgeAfterMs: 800 },
    retirement: { deprecated: '2026-12-01', date: '2027-01-31', successor: 'a/b', redirects: true },
  });
  expect(modelWishOf(before, hedged, 4)).toMatchObject({
    unset: ['timeouts', 'hedgeAfterMs'],
    retirement: { date: null },
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
  [{ timeouts: 'conect=3000' }, 'timeouts'],
  [{ timeouts: 'total=0' }, 'timeouts'],
  [{ model: 'openai/o9' }, 'model'],
  [{ model: 'a b' }, 'model'],
])('refuses %j', (typed, field) => {
  const { error } = modelFields(['openai/o9']).safeParse({ ...modelFieldsOf(null, null), model: 'x/y', ...typed });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});
