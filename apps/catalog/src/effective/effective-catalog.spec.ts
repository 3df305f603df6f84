import { loadTollgateFile, parseTollgateFile, TollgateFileError } from '@tollgate/configuration';
import { providerDefinition } from '@tollgate/contracts/catalog';
import type { PriceSheet } from '@tollgate/contracts/catalog';
import { builtInProviders } from '@tollgate/providers';
import { join } from 'node:path';
import type { SeedFile } from './seed';
import { seedFiles } from './seed';
import type { EffectiveCatalog } from './effective-catalog';
import { withPricesInForce } from '../prices/imported-price';
import type { CatalogInForce } from '../prices/imported-price';
import { effectiveCatalog } from './effective-catalog';

const builtIn = ['alpha', 'beta'].map((id) =>
  providerDefinition.parse({
    id,
    name: id,
    dialect: 'openai-chat',
    baseUrl: `https://${id}.test/v1`,
    apiKeyEnv: [`${id.toUpperCase()}_KEY`],
    quirks: { maxTokensField: 'max_tokens' },
  }),
);
const rates = { cachedInput: null, cacheWrite5m: null, cacheWrite1h: null, reasoning: null };
const prices = {
  input: '1',
  output: '2',
  ...rates,
  audioInput: null,
  audioOutput: null,
  perRequest: null,
  longContext: [],
};
const seed: SeedFile[] = [
  {
    provider: 'alpha',
    source: 'https://facts.test',
    retrieved: '2026-07-02',
    documentation: 'https://alpha.test',
    pricing: 'https://alpha.test',
    gone: [],
    models: [
      { id: 'alpha/one', name: 'One', contextWindow: 1000, capabilities: { reasoning: true }, prices },
      { id: 'alpha/two', upstreamModel: 'vendor/two', prices },
    ],
  },
];

function catalog(text: string): EffectiveCatalog {
  return effectiveCatalog(builtIn, seed, parseTollgateFile('tollgate.yaml', text));
}

function model(text: string, id: string): EffectiveCatalog['models'][number] {
  const found = catalog(text).models.find((one) => one.id === id);
  if (!found) throw new Error(`${id} is not in the catalog`);
  return found;
}

function problems(text: string): string[] {
  try {
    catalog(text);
  } catch (error) {
    if (error instanceof TollgateFileError) return error.problems;
    throw error;
  }
  return [];
}

describe('the catalog without a file', () => {
  it('gives each model one deployment, named after provider and upstream model', () => {
    expect(model('', 'alpha/two').deployments).toEqual([
      { id: 'alpha:vendor/two', provider: 'alpha', upstreamModel: 'vendor/two' },
    ]);
    expect(model('', 'alpha/one').deployments[0]?.upstreamModel).toBe('one');
  });

  it('fills in what the seed does not say', () => {
    expect(model('', 'alpha/one')).toMatchObject({
      status: 'active',
      inputModalities: ['text'],
      capabilities: { streaming: true, tools: true, vision: false, reasoning: true, structuredOutput: false },
      fallbacks: [],
    });
  });
});

describe('an entry of the file', () => {
  it('changes only what it says', () => {
    const changed = model('models: [{id: alpha/one, contextWindow: 5, capabilities: {tools: false}}]', 'alpha/one');
    expect(changed).toEqual({
      ...model('', 'alpha/one'),
      contextWindow: 5,
      capabilities: { ...model('', 'alpha/one').capabilities, tools: false },
    });
  });

  it.each([
    ['', true],
    [', queues: false', false],
  ])('takes a new provider for one that lets requests wait, unless told otherwise%s', (words, queues) => {
    const text = `providers: [{id: house, dialect: openai-chat, baseUrl: "http://gpu.test"${words}}]`;
    expect(catalog(text).providers.find(({ id }) => id === 'house')).toMatchObject({ queues });
  });

  it('changes a built-in provider field by field', () => {
    const [alpha] = catalog('providers: [{id: alpha, baseUrl: "https://eu.test", timeouts: {idleMs: 7}}]').providers;
    expect(alpha).toMatchObject({
      baseUrl: 'https://eu.test',
      apiKeyEnv: ['ALPHA_KEY'],
      timeouts: { idleMs: 7 },
      queues: false,
      quirks: { maxTokensField: 'max_tokens' },
    });
  });

  it('changes one quirk and keeps the others', () => {
    const [alpha] = catalog('providers: [{id: alpha, quirks: {compacts: true, reasoningPlaceholder: null}}]').providers;
    expect(alpha?.quirks).toMatchObject({ compacts: true, maxTokensField: 'max_tokens' });
  });

  it('adds a provider and a model of it', () => {
    const text = `
providers: [{id: house, dialect: openai-chat, baseUrl: "http://gpu:8000/v1"}]
models: [{id: house/llama, provider: house, upstreamModel: llama-3, aliases: [default]}]`;
    expect(catalog(text).providers.at(-1)).toMatchObject({ id: 'house', name: 'house', apiKeyEnv: [] });
    expect(model(text, 'house/llama')).toMatchObject({
      prices: null,
      aliases: ['default'],
      deployments: [{ id: 'house:llama-3', provider: 'house', upstreamModel: 'llama-3' }],
    });
  });

  it('adds a server by its preset, at its usual place or at the address that is named, below /v1', () => {
    const { providers } = catalog(
      'providers: [{id: home, preset: ollama}, {id: gpu, preset: llama-cpp, baseUrl: "http://gpu.lan:9000", name: GPU, models: discover}]',
    );
    const [home, gpu] = providers.slice(-2);
    expect(home).toMatchObject({
      name: 'Ollama',
      dialect: 'openai-chat',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKeyEnv: [],
      operatorDefined: true,
      tokenizes: false,
      discover: null,
      quirks: { maxTokensField: 'max_tokens' },
    });
    expect(gpu).toMatchObject({
      name: 'GPU',
      baseUrl: 'http://gpu.lan:9000/v1',
      alsoSpeaks: ['anthropic-messages'],
      tokenizes: true,
      loadMetrics: ['llamacpp:requests_processing', 'llamacpp:requests_deferred'],
      loadSlots: true,
      discover: { match: ['*'], prefix: 'gpu/', everyS: 60 },
    });
  });

  it('closes a provider to keys of accounts', () => {
    const { providers } = catalog('providers: [{id: alpha, ownKeys: false}]');
    expect(providers.flatMap(({ id, ownKeys }) => (ownKeys ? [] : [id]))).toEqual(['alpha']);
  });

  it('keeps what a provider has at paths of its own host, unless another path is named', () => {
    const alsoAt = [{ dialect: 'anthropic-messages' as const, path: '/messages/v1', tools: null }];
    const providers = builtIn.map((provider) => ({ ...provider, alsoAt }));
    const known = (words: string) =>
      effectiveCatalog(providers, seed, parseTollgateFile('tollgate.yaml', `providers: [{id: alpha${words}}]`))
        .providers[0]?.alsoAt;
    expect(known('')).toEqual(alsoAt);
    expect(known(', baseUrl: "https://eu.test/v1"')).toEqual(alsoAt);
    expect(known(', baseUrl: "https://proxy.test/alpha/v1"')).toEqual([]);
    expect(known(', baseUrl: "https://proxy.test/a", alsoAt: [{dialect: anthropic-messages, path: /b}]')).toEqual([
      { dialect: 'anthropic-messages', path: '/b', tools: null },
    ]);
  });

  it('moves a model to several deployments, in order', () => {
    const text =
      'models: [{id: alpha/one, deployments: [{provider: beta, upstreamModel: uno}, {id: old, provider: alpha}]}]';
    expect(model(text, 'alpha/one').deployments).toEqual([
      { id: 'beta:uno', provider: 'beta', upstreamModel: 'uno' },
      { id: 'old', provider: 'alpha', upstreamModel: 'one' },
    ]);
  });

  it('shares callers out among deployments, and gives a model its own time limits', () => {
    const deployments =
      '[{provider: alpha, weight: 3}, {provider: beta, weight: 0}, {id: last, provider: beta, priority: 1}]';
    const text = `models: [{id: alpha/one, deployments: ${deployments}, timeouts: {firstByteMs: 9}, hedgeAfterMs: 5, continueBrokenStreams: true}]`;
    expect(model(text, 'alpha/one')).toMatchObject({
      deployments: [{ weight: 3 }, { id: 'beta:one', weight: 0 }, { id: 'last', priority: 1 }],
      timeouts: { firstByteMs: 9 },
      hedgeAfterMs: 5,
      continueBrokenStreams: true,
    });
  });

  it('sets a price whose source is the file, or makes it unknown', () => {
    const { priced } = catalog(
      'models: [{id: alpha/one, prices: {input: 3, output: 4}}, {id: alpha/two, prices: null}]',
    );
    expect(priced).toEqual([
      {
        model: 'alpha/one',
        prices: expect.objectContaining({ input: '3', output: '4' }),
        source: 'configuration file',
        day: null,
      },
    ]);
  });

  it('that leaves the price alone leaves its source alone', () => {
    expect(catalog('models: [{id: alpha/one, status: preview}]').priced[0]?.source).toBe(
      'https://facts.test (2026-07-02)',
    );
  });
});

describe('what the seed says of the end and the price of a model', () => {
  const end = { deprecated: null, date: '2026-12-01', successor: 'alpha/two', redirects: true };
  const change = { from: '2026-12-01T00:00:00Z', prices: { ...prices, input: '3' } };
  const seeded = (text: string) => {
    const [first, ...rest] = seed;
    const models = first?.models.map((one) =>
      one.id === 'alpha/one' ? { ...one, priceUnconfirmed: true, priceChanges: [change], retirement: end } : one,
    );
    const files =
      first && models ? [{ ...first, models, gone: [{ names: ['old'], source: 'https://x.test' }] }, ...rest] : [];
    const effective = effectiveCatalog(builtIn, files, parseTollgateFile('tollgate.yaml', text));
    const one = effective.models.find(({ id }) => id === 'alpha/one');
    return { ...effective, one, price: effective.priced.find(({ model }) => model === 'alpha/one') };
  };

  it('is told', () => {
    const { one, price, retiredNames } = seeded('');
    expect(one).toMatchObject({ priceUnconfirmed: true, retirement: end });
    expect(price?.changes).toEqual([change]);
    expect(retiredNames.map(({ name }) => name)).toEqual(['old', 'alpha/old']);
  });

  it('has the day of its price, until an import takes its place or the operator sets one', () => {
    const day = ({ priced }: Pick<CatalogInForce, 'priced'>) => priced.find(({ model }) => model === 'alpha/two')?.day;
    expect(day(catalog(''))).toBe('2026-07-02');
    expect(day(catalog('models: [{id: alpha/two, contextWindow: 9}]'))).toBe('2026-07-02');
    expect(day(catalog('models: [{id: alpha/two, prices: {input: 3, output: 4}}]'))).toBeNull();
    const imported = { prices, source: 'https://prices.test', importedAt: new Date('2026-11-20T13:00:00Z') };
    const taken = new Map([['alpha/two', { ...imported, confirms: false }]]);
    expect(day(withPricesInForce(catalog(''), taken))).toBe('2026-11-20');
  });

  it('has the day on which a document confirmed its price, which stays its own, for as long as it says the same', () => {
    const importedAt = new Date('2026-11-20T13:00:00Z');
    const at = (confirmed: PriceSheet) =>
      withPricesInForce(
        seeded(''),
        new Map([['alpha/one', { prices: confirmed, source: 'https://prices.test', importedAt, confirms: true }]]),
      );
    const own = seeded('').price;
    if (!own) throw new Error('the seed has a price');
    const { priced, models } = at(own.prices);
    const told = priced.find(({ model }) => model === 'alpha/one');
    expect(told).toEqual({ ...own, day: '2026-11-20' });
    expect(models.find(({ id }) => id === 'alpha/one')?.priceUnconfirmed).toBe(true);
    const newer = at({ ...own.prices, input: '77' }).priced.find(({ model }) => model === 'alpha/one');
    expect(newer).toEqual(own);
  });

  it('gives way to a price of the operator, which nothing announced changes', () => {
    const { one, price } = seeded('models: [{id: alpha/one, prices: {input: 3, output: 4}}]');
    expect(one).toMatchObject({ priceUnconfirmed: false, retirement: end });
    expect(price).not.toHaveProperty('changes');
  });

  it('gives way to a place of the operator, where the model goes on', () => {
    expect(seeded('models: [{id: alpha/one, deployments: [{provider: beta}]}]').one?.retirement).toBeNull();
    expect(seeded('models: [{id: alpha/one, deployments: [{provider: alpha, weight: 2}]}]').one?.retirement).toEqual(
      end,
    );
    expect(seeded('models: [{id: alpha/one, retirement: null}]').one?.retirement).toBeNull();
  });

  it('leaves a name that is gone to a model that has it by now', () => {
    expect(seeded('models: [{id: alpha/old, provider: alpha}]').retiredNames.map(({ name }) => name)).toEqual(['old']);
  });
});

describe('a file that does not fit the catalog', () => {
  it.each([
    [
      'a new provider without its address',
      'providers: [{id: house}]',
      '1:13: providers[0]: house is a new provider and needs dialect and baseUrl, or a preset',
    ],
    [
      'a new model of nobody',
      'models: [{id: x/y}]',
      '1:10: models[0]: x/y is a new model and needs provider or deployments',
    ],
    [
      'an unknown provider',
      'models: [{id: x/y, provider: alpa}]',
      '1:30: models[0].provider: there is no provider alpa; did you mean alpha?',
    ],
    [
      'an unknown provider of a deployment',
      'models: [{id: alpha/one, deployments: [{provider: nobody}]}]',
      '1:51: models[0].deployments[0].provider: there is no provider nobody',
    ],
    [
      'a fallback of another kind',
      'models: [{id: alpha/one, fallbacks: [alpha/three]}, {id: alpha/three, provider: alpha, kind: embedding}]',
      '1:38: models[0].fallbacks[0]: alpha/three is a model for embedding, and alpha/one is for generation',
    ],
    [
      'an unknown fallback',
      'models: [{id: alpha/one, fallbacks: [alpha/tow]}]',
      '1:38: models[0].fallbacks[0]: there is no model alpha/tow; did you mean alpha/two?',
    ],
    [
      'a model that falls back to itself',
      'models: [{id: alpha/one, fallbacks: [alpha/one]}]',
      '1:38: models[0].fallbacks[0]: a model cannot be its own fallback',
    ],
    [
      'an unknown successor',
      'models: [{id: alpha/one, retirement: {successor: alpha/tow}}]',
      '1:50: models[0].retirement.successor: there is no model alpha/tow; did you mean alpha/two?',
    ],
    [
      'fallbacks in a circle',
      'models: [{id: alpha/one, fallbacks: [alpha/two]}, {id: alpha/two, fallbacks: [alpha/one]}]',
      '1:37: models[0].fallbacks: fallbacks run in a circle: alpha/one -> alpha/two -> alpha/one',
    ],
    [
      'an alias that is a model',
      'models: [{id: alpha/one, aliases: [alpha/two]}]',
      '1:36: models[0].aliases[0]: the name alpha/two belongs to alpha/two already',
    ],
    [
      'an alias of two models',
      'models: [{id: alpha/one, aliases: [x]}, {id: alpha/two, aliases: [x]}]',
      '1:67: models[1].aliases[0]: the name x belongs to alpha/one already',
    ],
    [
      'a deployment id of two places',
      'models: [{id: alpha/one, deployments: [{id: d, provider: alpha}, {id: d, provider: beta}]}]',
      '1:71: models[0].deployments[1].id: the deployment id d is taken',
    ],
    [
      'a weight below nothing',
      'models: [{id: alpha/one, deployments: [{provider: alpha, weight: -1}]}]',
      '1:66: models[0].deployments[0].weight: must be at least 0',
    ],
    [
      'a second request without a second place',
      'models: [{id: alpha/one, hedgeAfterMs: 5}]',
      '1:40: models[0].hedgeAfterMs: needs a second deployment, or a fallback',
    ],
    [
      'a stream that goes on without a second place',
      'models: [{id: alpha/one, continueBrokenStreams: true}]',
      '1:49: models[0].continueBrokenStreams: needs a second deployment, or a fallback',
    ],
    [
      'a second request after the time is over',
      'models: [{id: alpha/one, fallbacks: [alpha/two], hedgeAfterMs: 50, timeouts: {totalMs: 50}}]',
      '1:64: models[0].hedgeAfterMs: must be less than totalMs (50), or no second request is ever sent',
    ],
  ])('is told %s with its place', (_, text, problem) => {
    expect(problems(text)).toEqual([`tollgate.yaml:${problem}`]);
  });
});

describe('docs/tollgate.example.yaml', () => {
  it('fits the catalog that Tollgate ships with', () => {
    const file = loadTollgateFile(join(__dirname, '../../../../docs/tollgate.example.yaml'));
    const { models } = effectiveCatalog(builtInProviders, seedFiles, file);
    expect(models.find(({ id }) => id === 'openai/gpt-4.1-mini')?.deployments).toHaveLength(2);
  });
});
