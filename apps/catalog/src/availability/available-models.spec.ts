import type { ModelEntry } from '@tollgate/configuration';
import { resolveModel } from '../effective/resolve-model';
import { availableModels } from './available-models';

const entries: ModelEntry[] = [
  { id: 'openai/a', provider: 'openai' },
  { id: 'openai/b', deployments: [{ provider: 'openai' }, { provider: 'house' }] },
  { id: 'xai/c', provider: 'xai' },
];
const models = entries.map(resolveModel).filter((model) => model !== null);

describe('availableModels', () => {
  it('are those with at least one deployment within reach', () => {
    expect(availableModels(models, { providers: new Set(['house']) })).toEqual(['openai/b']);
    expect(availableModels(models, { providers: new Set() })).toEqual([]);
  });

  it('are, beside the sandbox too, no more than that: it stands in for no server of the operator', () => {
    const providers = new Set(['openai', 'xai']);
    expect(availableModels(models, { providers })).toEqual(['openai/a', 'openai/b', 'xai/c']);
    expect(availableModels(models, { providers: new Set() })).toEqual([]);
  });
});
