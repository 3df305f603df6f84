import { parseTollgateFile } from '@tollgate/configuration';
import { stringify } from 'yaml';
import { documentFormats } from '../prices/document-formats';
import { readGenaiPrices } from '../prices/genai-prices';
import { matchPrices } from '../prices/match-prices';
import { newModels } from './new-models';
import { readModelsDevFacts } from './document-facts';

const grok = {
  id: 'xai/grok-4.3',
  provider: 'xai',
  prices: null,
  deployments: [{ id: 'xai:grok-4.3', provider: 'xai', upstreamModel: 'grok-4.3' }],
};

describe('a document of genai-prices', () => {
  const read = (models: object[], now = Date.UTC(2026, 10, 22)) => readGenaiPrices([{ id: 'x-ai', models }], now);

  it('goes by ids and by the names that a model equals', () => {
    const match = { or: [{ equals: 'grok-4.3' }, { regex: '^grok-4' }, { equals: 'grok-4.3-latest' }] };
    const entries = read([
      { id: 'grok-four', match, prices: { input_mtok: 1.25, output_mtok: 2.5, cache_read_mtok: 0.2 } },
    ]);
    const { prices, strangers } = matchPrices(entries, documentFormats['genai-prices'], [grok], undefined);
    expect(prices).toEqual([
      { model: 'xai/grok-4.3', prices: expect.objectContaining({ input: '1.25', output: '2.5', cachedInput: '0.2' }) },
    ]);
    expect(strangers).toEqual([]);
  });

  it('takes the last price that has begun, and steps by the size of the input', () => {
    const steps = { base: 2, tiers: [{ start: 200_000, price: 4 }] };
    const [entry] = read([
      {
        id: 'grok',
        prices: [
          { prices: { input_mtok: 9, output_mtok: 9 } },
          { constraint: { start: '2026-11-01' }, prices: { input_mtok: steps, output_mtok: 6 } },
          { constraint: { start: '2026-12-01' }, prices: { input_mtok: 7, output_mtok: 7 } },
          { constraint: { start_time: '01:00', end_time: '04:00' }, prices: { input_mtok: 8, output_mtok: 8 } },
        ],
      },
    ]);
    expect(entry?.sheet).toMatchObject({
      input: '2',
      output: '6',
      longContext: [{ aboveInputTokens: 200_000, input: '4', output: '6' }],
    });
  });
});

describe('the models that the catalog lacks', () => {
  const cost = { input: 2, output: 6 };
  const document = {
    xai: {
      models: {
        'grok-4.3': { cost },
        'grok-5': {
          cost,
          limit: { context: 500_000, output: 0 },
          modalities: { input: ['text', 'image'] },
          tool_call: true,
        },
        'grok-old': { cost, status: 'deprecated' },
        'grok-voice': { cost, modalities: { input: ['audio'] } },
        'grok-free': { cost: { input: 0, output: 0 } },
      },
    },
    elsewhere: { models: { other: { cost } } },
  };

  it('are entries of tollgate.yaml, of known providers alone, without what is over, free or no text model', () => {
    const format = documentFormats['models.dev'];
    const entries = format.read(document);
    const { strangers } = matchPrices(entries, format, [grok], undefined);
    const added = newModels(strangers, entries, readModelsDevFacts(document), [grok], format);
    expect(parseTollgateFile('models.yaml', stringify({ models: added })).models).toHaveLength(1);
    expect(added).toEqual([
      {
        id: 'xai/grok-5',
        provider: 'xai',
        upstreamModel: 'grok-5',
        contextWindow: 500_000,
        inputModalities: ['text', 'image'],
        capabilities: { tools: true },
        prices: expect.objectContaining({ input: '2', output: '6' }),
      },
    ]);
  });
});
