import { parseTollgateFile } from '@tollgate/configuration';
import { importOperations } from '@tollgate/contracts/accounts';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ran } from '../ran.fixture';
import type { SettingLine } from './settings-report';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-openrouter-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function written(name: string, said: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(said));
  return path;
}

async function importing(more: string, environment: NodeJS.ProcessEnv = {}) {
  const to = join(folder, 'tollgate.yaml');
  const taken = { accountId: 'a', made: { accounts: 1, people: 0, keys: 1, budgets: 1 } };
  const replies = Array.from({ length: 9 }, () => taken);
  const { out, asked } = await ran(`import openrouter --write ${to} --json ${more}`, replies, environment);
  const { settings } = JSON.parse(out) as { settings: SettingLine[] };
  const file = parseTollgateFile('tollgate.yaml', existsSync(to) ? readFileSync(to, 'utf8') : '');
  return {
    ...{ settings, ...file },
    accounts: asked.map((wish) => importOperations.take.request.parse(wish).account),
    told: (setting: string) => settings.filter((line) => line.setting === setting).map(({ outcome }) => outcome),
    model: (id: string) => file.models.find((one) => one.id === id),
  };
}

const listed = {
  data: [
    {
      ...{ id: 'acme/large-4.5', name: 'Acme: Large 4.5', context_length: 200_000 },
      architecture: { input_modalities: ['text', 'image', 'file'] },
      pricing: {
        prompt: '0.000003',
        completion: '0.000015',
        input_cache_read: '0.0000003',
        request: '0.01',
        image: '0',
      },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
      supported_parameters: ['tools', 'reasoning', 'structured_outputs'],
    },
    { id: 'openai/gpt-4.1', pricing: { prompt: '0.000002', completion: '0.000008' } },
    { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'acme/small:free', pricing: { prompt: '0', completion: '0' } },
  ],
};

describe('the models of OpenRouter', () => {
  it('are asked there under their names, with its facts and prices; those of the catalog of their own provider first', async () => {
    const { model, models, providers, told } = await importing(`--models ${written('models.json', listed)}`);
    expect(providers).toEqual([{ id: 'openrouter', unlisted: true }]);
    expect(told('models (not in the list)')).toEqual(['carried']);
    expect(models).toHaveLength(4);
    expect(model('acme/large-4.5')).toEqual({
      ...{ id: 'acme/large-4.5', name: 'Acme: Large 4.5', contextWindow: 200_000, maxOutputTokens: 64_000 },
      inputModalities: ['text', 'image', 'pdf'],
      capabilities: { tools: true, vision: true, reasoning: true, structuredOutput: true, temperature: false },
      prices: expect.objectContaining({ input: '3', output: '15', cachedInput: '0.3', perRequest: '0.01' }),
      deployments: [{ provider: 'openrouter', upstreamModel: 'acme/large-4.5' }],
    });
    expect(model('openai/gpt-4.1')).toEqual({
      id: 'openai/gpt-4.1',
      deployments: [
        { provider: 'openai', upstreamModel: 'gpt-4.1' },
        { provider: 'openrouter', upstreamModel: 'openai/gpt-4.1', priority: 1 },
      ],
    });
    expect(model('openrouter/auto')?.prices).toBeUndefined();
    expect(told('model openrouter/auto (price)')).toEqual(['not carried']);
    expect(model('acme/small:free')?.prices).toMatchObject({ input: '0', output: '0' });
  });

  it('have the prices of all that is told apart, and what has none here is told', async () => {
    const pricing = {
      ...{
        prompt: '0.000001',
        completion: '0.00001',
        input_cache_write: '0.0000001',
        input_cache_write_1h: '0.000002',
      },
      ...{ audio: '0.000003', audio_output: '0.00002', internal_reasoning: '0.000012', image_token: '0.000005' },
      ...{ web_search: '0.014', image: '0.001238', image_output: '0.03', input_audio_cache: '0.0000003', odd: '0' },
    };
    const list = { data: [{ id: 'acme/all', pricing }] };
    const { model, settings } = await importing(`--models ${written('models.json', list)}`);
    expect(model('acme/all')?.prices).toMatchObject({
      ...{ input: '1', output: '10', cacheWrite5m: '0.1', cacheWrite1h: '2', reasoning: '12' },
      ...{ audioInput: '3', audioOutput: '20' },
      terms: { units: { webSearch: '0.014' }, kinds: { imageInput: '5' } },
    });
    const left = settings.filter(({ outcome }) => outcome === 'not carried').map(({ setting }) => setting);
    expect(left.toSorted()).toEqual(['pricing.image', 'pricing.image_output', 'pricing.input_audio_cache']);
  });

  it('have the names of the newest of a family as aliases of what these mean now, and say that they stay', async () => {
    const latest = (family: string, slug?: string) => ({
      ...{ id: `~${family}-latest`, pricing: { prompt: '0.1', completion: '0.1' } },
      ...(slug !== undefined && { alias_target: { name: slug, slug } }),
    });
    const data = [
      ...[latest('acme/large', 'acme/large-4.5'), latest('openai/gpt', 'openai/gpt-4.1')],
      ...[latest('acme/away', 'acme/none'), latest('acme/unsaid'), ...listed.data],
    ];
    const { model, models, told } = await importing(`--models ${written('models.json', { data })}`);
    expect(models).toHaveLength(4);
    expect(model('acme/large-4.5')).toMatchObject({ aliases: ['acme/large-latest'], prices: { input: '3' } });
    expect(model('openai/gpt-4.1')?.aliases?.at(-1)).toBe('openai/gpt-latest');
    for (const [family, outcome] of Object.entries({
      ...{ 'acme/large': 'changed', 'openai/gpt': 'changed', 'acme/away': 'not carried', 'acme/unsaid': 'not carried' },
    }))
      expect([family, told(`model ~${family}-latest`)]).toEqual([family, [outcome]]);
  });

  it('are those that callers ask for, and a preset is one by its name', async () => {
    const config = {
      model: 'acme/large-4.5',
      models: ['acme/small:free', 'no/such'],
      temperature: 0,
      provider: { sort: 'price' },
    };
    const preset = written('preset.json', { data: { slug: 'mail', designated_version: { config } } });
    const { models, model, providers, told } = await importing(
      `--models ${written('models.json', listed)} --only acme/* --preset ${preset}`,
    );
    expect(models.map(({ id }) => id)).toEqual(['acme/large-4.5', 'acme/small:free', '@preset/mail']);
    expect(providers).toEqual([]);
    expect(model('@preset/mail')).toMatchObject({
      deployments: [{ provider: 'openrouter', upstreamModel: 'acme/large-4.5' }],
      fallbacks: ['acme/small:free'],
    });
    expect([told('preset.temperature'), told('preset.provider')]).toEqual([['not carried'], ['not carried']]);
  });
});

describe('the keys of OpenRouter', () => {
  const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
  const keys = {
    data: [
      {
        ...{ hash: sha256('sk-or-v1-one'), name: 'app', label: 'sk-or-v1-0e6...1c96', disabled: false, usage: 25.5 },
        ...{ limit: 100, limit_remaining: 74.5, limit_reset: 'monthly', workspace_id: 'W1' },
      },
      {
        hash: sha256('sk-or-v1-two'),
        name: 'off',
        disabled: true,
        limit: 5,
        limit_reset: null,
        limit_remaining: 5,
        usage: 0,
      },
      { hash: sha256('sk-or-v1-old'), expires_at: '2020-01-01T00:00:00Z' },
      { hash: 'sk-or-v1-odd', name: 'odd', limit: 1, limit_reset: 'yearly' },
      {
        hash: sha256('sk-or-v1-year'),
        name: 'year',
        limit: 1,
        limit_reset: 'yearly',
        expires_at: '2099-01-01T00:00:00Z',
      },
    ],
  };

  it('go on where one of them shows what their hashes are', async () => {
    const { accounts, told } = await importing(`--keys ${written('keys.json', keys)}`, {
      OPENROUTER_API_KEY: 'sk-or-v1-two',
    });
    const [first] = accounts.filter(({ reference }) => reference === 'openrouter:workspace:w1');
    expect(first?.keys).toMatchObject([
      { sha256: sha256('sk-or-v1-one'), name: 'app', display: 'sk-or-v1-0e6…1c96', openingUsd: '25.5', revoked: false },
    ]);
    const others = accounts.filter(({ reference }) => reference === 'openrouter:keys');
    expect(others.flatMap((account) => account.keys)).toMatchObject([
      { name: 'off', revoked: true },
      { name: 'year', expiresAt: Date.UTC(2099, 0, 1) },
    ]);
    expect(accounts.flatMap(({ budgets }) => budgets)).toMatchObject([
      { limitUsd: '100', window: 'month', openingUsd: '25.5' },
      { limitUsd: '5', window: 'total', openingUsd: '0' },
    ]);
    expect([told('keys (expired)'), told('keys.hash'), told('keys.limit')]).toEqual([
      ['not carried'],
      ['not carried'],
      ['carried', 'not carried'],
    ]);
  });

  it.each([{}, { OPENROUTER_API_KEY: 'sk-or-v1-none-of-them' }])(
    'are left where none does: %j',
    async (environment) => {
      const { accounts, settings } = await importing(`--keys ${written('keys.json', keys)}`, environment);
      expect(accounts).toEqual([]);
      expect(settings).toMatchObject([{ setting: 'keys', count: 5, outcome: 'not carried' }]);
    },
  );
});

it('refuses what is no list, and nothing at all', async () => {
  await expect(importing(`--models ${written('a.json', { a: 1 })}`)).rejects.toThrow(
    'is no list of models of OpenRouter',
  );
  await expect(importing(`--keys ${written('b.json', { data: 7 })}`)).rejects.toThrow(
    'is no list of keys of OpenRouter',
  );
  await expect(importing('--dry-run')).rejects.toThrow('Give --models, --keys, or both.');
});
