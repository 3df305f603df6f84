import type { ModelEntry } from '@tollgate/configuration';
import { resolveModel } from '../effective/resolve-model';
import { availableModels } from './available-models';

const entries: ModelEntry[] = [
  { id: 'openai/a', provider: 'openai' },
  { id: 'openai/b', deployments: [{ provider: 'openai' }, { provider: 'house' }] },
  { id: 'xai/c', provider: 'xai' },
];
const models = entries.map(resolveModel).filter((model) => model !== null);

const noEnd = { deprecated: null, successor: null, redirects: false };
const now = Date.UTC(2026, 10, 22);

describe('availableModels', () => {
  it('are those with at least one deployment within reach', () => {
    expect(availableModels(models, { providers: new Set(['house']) }, now)).toEqual(['openai/b']);
    expect(availableModels(models, { providers: new Set() }, now)).toEqual([]);
  });

  it('are, beside the sandbox too, no more than that: it stands in for no server of the operator', () => {
    const providers = new Set(['openai', 'xai']);
    expect(availableModels(models, { providers }, now)).toEqual(['openai/a', 'openai/b', 'xai/c']);
    expect(availableModels(models, { providers: new Set() }, now)).toEqual([]);
  });

  it('end with the day on which their provider retires them, to the minute', () => {
    const model = resolveModel({ id: 'openai/old', provider: 'openai', retirement: { ...noEnd, date: '2026-12-11' } });
    const live = (at: number) => availableModels(model ? [model] : [], { providers: new Set(['openai']) }, at);
    expect(live(Date.UTC(2026, 11, 11) - 1)).toEqual(['openai/old']);
    expect(live(Date.UTC(2026, 11, 11))).toEqual([]);
  });
});
