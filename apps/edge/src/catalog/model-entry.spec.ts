import { priceSheet } from '@tollgate/contracts/catalog';
import { model } from '../testing/catalog-fixture';
import { toModelEntry } from './model-entry';

describe('an entry of the list', () => {
  const noRates = {
    cached_input: null,
    cache_write: null,
    cache_write_1h: null,
    reasoning: null,
    audio_input: null,
    audio_output: null,
  };
  const plainRates = {
    ...noRates,
    per_request: null,
    long_context: [],
    served: [],
    marked_reads: null,
    units: {},
    image_input: null,
    video_input: null,
    image_output: null,
    hours: [],
    unconfirmed: false,
  };

  it('tells the whole price, of long prompts and of other ways of being served, too', () => {
    const long = { input: '4', output: '9', aboveInputTokens: 200_000 };
    const served = [
      { on: 'tier', value: 'flex', factor: '0.5' },
      { on: 'tier', value: 'priority', rates: { input: '8', output: '20', longContext: [long] } },
    ];
    const prices = priceSheet.parse({
      ...{ input: '2', output: '6', cacheWrite5m: '2.5', cacheWrite1h: '4', reasoning: '7', audioInput: '3' },
      ...{ audioOutput: '12', perRequest: '0.01', longContext: [{ ...long, cachedInput: '1' }] },
      terms: { served, markedReads: '0.085', units: { webSearch: '0.01' }, kinds: { imageInput: '5' } },
    });
    const step = { ...noRates, input: '4', output: '9', above_input_tokens: 200_000 };
    expect(toModelEntry({ ...model('openai/x'), prices }).pricing).toEqual({
      ...plainRates,
      ...{ input: '2', output: '6', cache_write: '2.5', cache_write_1h: '4', reasoning: '7', audio_input: '3' },
      ...{ audio_output: '12', per_request: '0.01', long_context: [{ ...step, cached_input: '1' }] },
      served: [
        { on: 'tier', value: 'flex', factor: '0.5', rates: null },
        {
          on: 'tier',
          value: 'priority',
          factor: null,
          rates: { ...noRates, input: '8', output: '20', long_context: [step] },
        },
      ],
      marked_reads: '0.085',
      units: { webSearch: '0.01' },
      image_input: '5',
    });
  });

  it('has the public fields, prices as decimal strings', () => {
    expect(toModelEntry(model('openai/x'))).toEqual({
      id: 'openai/x',
      object: 'model',
      created: 1_750_000_000,
      owned_by: 'openai',
      kind: 'generation',
      name: 'openai/x',
      context_window: 128_000,
      max_output_tokens: 16_384,
      input_modalities: ['text'],
      output_modalities: ['text'],
      capabilities: { streaming: true, tools: true, vision: false, reasoning: false, structured_output: true },
      reasoning_efforts: null,
      pricing: { ...plainRates, input: '0.15', output: '0.6' },
      status: 'active',
      shutdown_date: null,
      deprecation_date: null,
      successor: null,
    });
  });
});
