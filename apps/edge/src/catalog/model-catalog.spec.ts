import { GatewayError } from '@tollgate/contracts';
import { model, snapshot } from '../testing/catalog-fixture';
import { ModelCatalog } from './model-catalog';
import { toModelEntry } from './model-entry';
import { ModelIndex } from './model-index';

function catalogOf(changes: Partial<typeof snapshot> = {}): ModelCatalog {
  const catalog = new ModelCatalog();
  catalog.replace(new ModelIndex({ ...snapshot, ...changes }));
  return catalog;
}

const anyModel = { models: [] };

/** The status of the GatewayError that `resolve` throws. */
function refusalOf(resolve: () => unknown): number | null {
  try {
    resolve();
    return null;
  } catch (error) {
    return error instanceof GatewayError ? error.status : null;
  }
}

describe('readiness', () => {
  it('waits for the first live model, but believes after ten seconds that there is none', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const empty = catalogOf({ available: [] });
    expect(empty.isReady).toBe(false);
    expect(catalogOf().isReady).toBe(true);
    clock.mockReturnValue(11_001);
    expect(empty.isReady).toBe(true);
    clock.mockRestore();
  });
});

describe('the model of a request', () => {
  it('is found by id, by alias, and by its bare id', () => {
    for (const name of ['openai/gpt-5.4-mini', 'mini', 'gpt-5.4-mini'])
      expect(catalogOf().resolve(name, anyModel).id).toBe('openai/gpt-5.4-mini');
  });

  it('is not found by a bare id that two models have', () => {
    const models = [model('a/same'), model('b/same')];
    expect(() => catalogOf({ models, available: ['a/same', 'b/same'] }).resolve('same', anyModel)).toThrow(
      'does not exist',
    );
  });

  it.each([
    ['no/such', anyModel, 404],
    ['__proto__', anyModel, 404],
    ['xai/grok-9', anyModel, 404],
    ['mini', { models: ['anthropic/*'] }, 403],
    ['xai/grok-9', { models: ['anthropic/*'] }, 403],
  ])('%s for %j is a %s', (name, key, status) => {
    expect(refusalOf(() => catalogOf().resolve(name, key))).toBe(status);
  });

  it('cannot be told while the catalog was never read: 503', () => {
    expect(refusalOf(() => new ModelCatalog().resolve('mini', anyModel))).toBe(503);
  });
});

it('tells what is logged, and before it is known that nothing is: a page can be shown without it', () => {
  const contentLog = { retentionDays: 1, maxBodyBytes: 1_024, detectors: [], patterns: [] };
  expect(catalogOf({ contentLog }).contentLog).toEqual(contentLog);
  expect(new ModelCatalog().contentLog).toBeNull();
});

describe('an entry of the list', () => {
  it('has the public fields, prices as decimal strings', () => {
    expect(toModelEntry(model('openai/x'))).toEqual({
      id: 'openai/x',
      object: 'model',
      created: 1_750_000_000,
      owned_by: 'openai',
      name: 'openai/x',
      context_window: 128_000,
      max_output_tokens: 16_384,
      input_modalities: ['text'],
      output_modalities: ['text'],
      capabilities: { streaming: true, tools: true, vision: false, reasoning: false, structured_output: true },
      pricing: { input: '0.15', output: '0.6', cached_input: null, cache_write: null },
      status: 'active',
    });
  });
});
