import { parseTollgateFile } from '@tollgate/configuration';
import { importOperations } from '@tollgate/contracts/accounts';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ran } from '../ran.fixture';
import { knownModels } from './known-models';
import type { SettingLine } from './settings-report';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-bifrost-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const taken = { accountId: 'a', made: { accounts: 1, people: 0, keys: 1, budgets: 1 } };

async function importing(config: object, environment: NodeJS.ProcessEnv = {}) {
  const [from, to] = [join(folder, 'config.json'), join(folder, 'tollgate.yaml')];
  writeFileSync(from, JSON.stringify(config));
  const replies = Array.from({ length: 9 }, () => taken);
  const { out, asked } = await ran(`import bifrost ${from} --write ${to} --json`, replies, environment);
  const { settings, file } = JSON.parse(out) as { settings: SettingLine[]; file: object | null };
  const text = file === null ? '' : readFileSync(to, 'utf8');
  const sections = parseTollgateFile('tollgate.yaml', text);
  return {
    ...{ settings, text, ...sections },
    accounts: asked.map((wish) => importOperations.take.request.parse(wish).account),
    told: (setting: string) => settings.filter((line) => line.setting === setting).map(({ outcome }) => outcome),
    model: (id: string) => sections.models.find((one) => one.id === id),
  };
}

describe('providers of a config.json of Bifrost', () => {
  it('keep the names by which their models are asked for; what the catalog has is as it is there', async () => {
    const { providers, models, model } = await importing({
      providers: {
        anthropic: { keys: [{ value: 'env.ANTHROPIC_API_KEY', models: ['*'] }] },
        gemini: { keys: [{ value: 'env.GEMINI_API_KEY', models: ['gemini-2.5-pro'] }] },
        groq: { keys: [{ value: 'env.GROQ_TEAM', models: ['openai/gpt-oss-120b'] }] },
      },
    });
    expect(providers).toEqual([
      { id: 'anthropic', unlisted: true },
      { id: 'groq', apiKeyEnv: ['GROQ_TEAM'] },
    ]);
    expect(models.filter(({ deployments }) => deployments !== undefined)).toEqual([]);
    expect(model('google/gemini-2.5-pro')).toEqual({ id: 'google/gemini-2.5-pro', aliases: ['gemini/gemini-2.5-pro'] });
    expect(model('groq/gpt-oss-120b')?.aliases).toContain('groq/openai/gpt-oss-120b');
  });

  it('have no place at a key that denies the model, and pass no other name on by it', async () => {
    const denying = { value: 'env.A', models: ['*', 'gpt-4.1'], blacklisted_models: ['gpt-4.1'] };
    const keys = [denying, { value: 'env.B', models: ['gpt-4.1', 'gpt-4.1-mini'] }];
    const ollama = { keys: [{ models: ['*'], blacklisted_models: ['llama3'] }] };
    const { providers, model, told } = await importing({ providers: { openai: { keys }, ollama } });
    expect(model('openai/gpt-4.1')?.deployments).toEqual([{ provider: 'openai-2', upstreamModel: 'gpt-4.1' }]);
    expect(model('openai/gpt-4.1-mini')?.deployments).toHaveLength(2);
    for (const { unlisted, models } of providers) expect([unlisted, models]).toEqual([undefined, undefined]);
    expect(told('providers.keys.blacklisted_models')).toEqual(['changed']);
    expect(told('providers.keys.models (*)')).toEqual(['not carried']);
  });

  it('have a place for each key, with its weight; no key comes into the file', async () => {
    const { providers, model, text, settings, told } = await importing({
      providers: {
        openai: {
          keys: [
            { name: 'one', value: 'env.OPENAI_KEY_1', models: ['*'], weight: 2 },
            { name: 'two', value: 'sk-openai-secret', models: ['gpt-4.1-mini'], weight: 1 },
            { name: 'off', value: 'env.OPENAI_KEY_3', models: ['*'], enabled: false },
          ],
          network_config: {
            ...{ default_request_timeout_in_seconds: 120, stream_idle_timeout_in_seconds: 30 },
            extra_headers: { 'x-team': 'ml', 'x-secret': 'env.SECRET', Authorization: 'Bearer sk-openai-secret' },
          },
        },
      },
    });
    const network = { timeouts: { idleMs: 30_000, totalMs: 120_000 }, headers: { 'x-team': 'ml' } };
    expect(providers).toMatchObject([
      { id: 'openai', apiKeyEnv: ['OPENAI_KEY_1'], unlisted: true, ...network },
      { id: 'openai-2', apiKeyEnv: ['OPENAI_2_API_KEY'], baseUrl: 'https://api.openai.com/v1', ...network },
    ]);
    expect(model('openai/gpt-4.1-mini')?.deployments).toEqual([
      { provider: 'openai', upstreamModel: 'gpt-4.1-mini', weight: 2 },
      { provider: 'openai-2', upstreamModel: 'gpt-4.1-mini', weight: 1 },
    ]);
    expect(told('header Authorization')).toEqual(['not carried']);
    for (const shown of [text, JSON.stringify(settings)]) expect(shown).not.toContain('sk-openai-secret');
  });

  it('several keys for everything share out every model of the catalog', async () => {
    const { models } = await importing({
      providers: {
        xai: {
          keys: [
            { value: 'env.A', models: ['*'] },
            { value: 'env.B', models: ['*'] },
          ],
        },
      },
    });
    const known = new Set([...knownModels().values()].map(({ id }) => id).filter((id) => id.startsWith('xai/')));
    expect(new Set(models.map(({ id }) => id))).toEqual(known);
    for (const { deployments } of models) expect(deployments).toHaveLength(2);
  });

  it('in clouds and of one’s own are asked at their addresses', async () => {
    const { providers, model, told } = await importing(
      {
        providers: {
          azure: {
            keys: [
              {
                ...{ value: 'env.AZ', models: ['gpt-4.1', 'claude-opus-5'], aliases: { 'gpt-4.1': 'prod-41' } },
                azure_key_config: { endpoint: 'env.AZURE_ENDPOINT', api_version: 'x' },
              },
            ],
          },
          vertex: {
            keys: [
              {
                ...{ value: '', models: ['google/gemini-2.5-pro', 'claude-opus-4-5'] },
                vertex_key_config: { project_id: 'acme', region: 'europe-west4' },
              },
            ],
          },
          bedrock: { keys: [{ models: ['us.x'], bedrock_key_config: { region: 'eu-west-1' } }] },
          vllm: {
            keys: [{ models: ['llama'], vllm_key_config: { url: 'http://gpu:8000', model_name: 'meta/llama' } }],
          },
          ollama: { keys: [{ value: '', models: ['*'], ollama_key_config: { url: 'http://pc:11434' } }] },
          'my-llm': {
            keys: [{ value: { env_var: 'MY_KEY', from_env: true }, models: ['a b'] }],
            network_config: { base_url: 'http://own:1/api/v1/' },
            custom_provider_config: { base_provider_type: 'openai' },
          },
          elevenlabs: { keys: [{ value: 'env.X', models: ['*'] }] },
        },
      },
      { AZURE_ENDPOINT: 'https://eu.openai.azure.com/' },
    );
    const vertex = 'https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4/publishers';
    expect(providers.map(({ id, baseUrl, apiKeyEnv }) => [id, baseUrl, apiKeyEnv])).toEqual([
      ['azure', 'https://eu.openai.azure.com/openai/v1', ['AZ']],
      ['azure-anthropic', 'https://eu.openai.azure.com/anthropic/v1', ['AZ']],
      ['vertex', `${vertex}/google`, undefined],
      ['vertex-anthropic', `${vertex}/anthropic/models`, undefined],
      ['bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com', undefined],
      ['vllm', 'http://gpu:8000/v1', undefined],
      ['ollama', 'http://pc:11434/v1', undefined],
      ['my-llm', 'http://own:1/api/v1', ['MY_KEY']],
    ]);
    expect(providers.find(({ id }) => id === 'ollama')?.models).toMatchObject({ prefix: 'ollama/' });
    expect(model('azure/gpt-4.1')).toMatchObject({ deployments: [{ provider: 'azure', upstreamModel: 'prod-41' }] });
    expect(model('azure/gpt-4.1')?.prices ?? knownModels().get('azure/gpt-4.1')?.prices).toBeDefined();
    expect(model('azure-anthropic/claude-opus-5')).toMatchObject({ aliases: ['azure/claude-opus-5'] });
    expect(model('vllm/llama')).toMatchObject({ deployments: [{ provider: 'vllm', upstreamModel: 'meta/llama' }] });
    expect(model('my-llm/a-b')).toBeDefined();
    expect(told('model my-llm/a b')).toEqual(['changed']);
    expect(told('model vllm/llama (price)')).toEqual(['not carried']);
    expect(told('providers.elevenlabs')).toEqual(['not carried']);
  });

  it('at an address that only a variable knows are told to be written by hand', async () => {
    const { settings } = await importing({
      providers: { azure: { keys: [{ value: 'k', models: ['m'], azure_key_config: { endpoint: 'env.NOT_SET' } }] } },
    });
    expect(settings.find(({ setting }) => setting === 'providers (addresses)')?.note).toContain('NOT_SET');
  });
});

describe('virtual keys of Bifrost', () => {
  const governance = {
    virtual_keys: [
      {
        ...{ id: 'vk-1', name: 'platform', value: 'sk-bf-platform', team_id: 't1', rate_limit_id: 'hour' },
        provider_configs: [
          { provider: 'openai', allowed_models: ['gpt-4.1-mini'], key_ids: ['*'], weight: 1 },
          { provider: 'gemini', allowed_models: ['*'], key_ids: ['g'] },
        ],
      },
      { id: 'vk-2', name: 'own style', value: 'no-such-form', provider_configs: [] },
      { id: 'vk-3', value: 'env.VK3', is_active: false, customer_id: 'C1', rate_limit_id: 'minute' },
      { id: 'vk-4', name: 'made there' },
      { id: 'vk-5', value: 'env.NOT_SET' },
      { id: 'vk-6', value: 'sk-bf-gone', expires_at: '2020-01-01T00:00:00Z' },
      {
        id: 'vk-7',
        value: 'sk-bf-alone',
        expires_at: '2099-01-01T00:00:00Z',
        provider_configs: [{ provider: 'openai', budget_id: 'everything' }],
      },
    ],
    customers: [{ id: 'C1', name: 'Acme', budget_id: 'acme' }],
    teams: [{ id: 't1', name: 'ML', customer_id: 'C1', rate_limit_id: 'team' }],
    budgets: [
      { id: 'acme', max_limit: 2_000, reset_duration: '1M', calendar_aligned: true },
      { id: 'ml', max_limit: 500.5, reset_duration: '1w', team_id: 't1', current_usage: 12.5 },
      { id: 'vk', max_limit: 5, reset_duration: '1Y', virtual_key_id: 'vk-1', current_usage: 1.25 },
      { id: 'everything', max_limit: 7, reset_duration: '1d' },
    ],
    rate_limits: [
      { id: 'hour', request_max_limit: 1_000, request_reset_duration: '1h' },
      {
        id: 'minute',
        request_max_limit: 30,
        request_reset_duration: '1m',
        token_max_limit: 9,
        token_reset_duration: '1M',
      },
      {
        id: 'team',
        request_max_limit: 10,
        request_reset_duration: '30s',
        token_max_limit: 9,
        token_reset_duration: '1h',
      },
    ],
    model_configs: [
      { id: 'm1', model_name: '*', scope: 'virtual_key', scope_id: 'vk-7', budget_id: 'everything' },
      { id: 'm2', model_name: 'gpt-4.1', budget_id: 'everything' },
    ],
    routing_rules: [{ id: 'r' }],
  };
  const providers = { gemini: { keys: [{ value: 'env.GEMINI_API_KEY', models: ['*'] }] } };
  const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');

  it('go on, with what they may use and spend; a customer is an account, its teams are parts of it', async () => {
    const { accounts, text } = await importing({ providers, governance }, { VK3: 'sk-bf-three' });
    expect(text).not.toContain('sk-bf');
    const whole = accounts.filter(({ reference }) => reference === 'bifrost:customer:c1');
    expect(whole.flatMap(({ keys }) => keys)).toMatchObject([
      {
        sha256: sha256('sk-bf-platform'),
        name: 'platform',
        rpm: 10,
        models: ['openai/gpt-4.1-mini', 'gemini/*', 'google/*'],
      },
      { sha256: sha256('sk-bf-three'), revoked: true, rpm: 30, quotaTokens: 9, models: ['no-default-models'] },
    ]);
    expect(whole.flatMap(({ budgets }) => budgets)).toMatchObject([
      { limitUsd: '5', window: 'total', openingUsd: '1.25', keys: [sha256('sk-bf-platform')] },
      { limitUsd: '2000', window: 'month', openingUsd: '0', keys: [] },
      { limitUsd: '500.5', window: 'week', openingUsd: '12.5', keys: [sha256('sk-bf-platform')] },
      { limitTokens: 9, window: '1h', keys: [sha256('sk-bf-platform')] },
    ]);
    const alone = accounts.filter(({ reference }) => reference === 'bifrost:keys');
    expect(alone.flatMap(({ keys }) => keys)).toMatchObject([
      { sha256: sha256('sk-bf-alone'), models: ['no-default-models'], expiresAt: Date.UTC(2099, 0, 1) },
    ]);
    expect(alone.flatMap(({ budgets }) => budgets)).toMatchObject([{ limitUsd: '7', window: 'day' }]);
    expect(accounts.flatMap(({ keys }) => keys)).toHaveLength(3);
  });

  it.each([
    [{ request_max_limit: 59, request_reset_duration: '1h' }, { rpm: 1, quotaTokens: null }, 'changed'],
    [{ request_max_limit: 0, request_reset_duration: '1h' }, { rpm: 0, quotaTokens: null }, 'carried'],
    [{ request_max_limit: 5, request_reset_duration: 'soon' }, { rpm: null, quotaTokens: null }, 'not carried'],
    [{ token_max_limit: 900, token_reset_duration: '1m' }, { tpm: 900, quotaTokens: null }, 'carried'],
    [{ token_max_limit: 0, token_reset_duration: '1h' }, { rpm: null, quotaTokens: 0 }, 'carried'],
  ])('are held to limits of any length: %j is %j', async (limit, rates, outcome) => {
    const { accounts, settings } = await importing({
      governance: {
        virtual_keys: [{ id: 'a', value: 'sk-bf-a', rate_limit_id: 'l' }],
        rate_limits: [{ id: 'l', ...limit }],
      },
    });
    expect(accounts[0]?.keys).toMatchObject([rates]);
    expect(settings.filter(({ setting }) => setting.includes('rate_limits'))).toMatchObject([{ outcome }]);
  });

  it.each([
    ['1h', '1h'],
    ['5m', '1h'],
    ['1d', 'day'],
    ['1w', 'week'],
    ['1Y', 'total'],
  ])('are kept within tokens of any length by a budget: of %s in %s', async (duration, window) => {
    const { accounts, settings } = await importing({
      governance: {
        virtual_keys: [{ id: 'a', value: 'sk-bf-a', rate_limit_id: 'l' }],
        rate_limits: [{ id: 'l', token_max_limit: 900, token_reset_duration: duration, token_current_usage: 120 }],
      },
    });
    expect(accounts.flatMap(({ keys }) => keys)).toMatchObject([{ tpm: null, quotaTokens: null }]);
    expect(accounts.flatMap(({ budgets }) => budgets)).toMatchObject([
      { keys: [sha256('sk-bf-a')], limitTokens: 900, window, openingTokens: 120 },
    ]);
    // Windows begin by the calendar here; another length is one that rolls, or a total.
    expect(settings.some(({ setting, outcome }) => setting.endsWith('duration') && outcome === 'changed')).toBe(true);
  });

  it('have budgets in tokens whose names are their own, whatever keys and limits are called', async () => {
    const { accounts } = await importing({
      governance: {
        virtual_keys: [
          { id: 'a', name: 'k'.repeat(100), value: 'sk-bf-a', rate_limit_id: 'rate-limit-hour' },
          { id: 'b', name: 'k'.repeat(100), value: 'sk-bf-b', rate_limit_id: 'rate-limit-hour' },
        ],
        model_configs: [
          { id: 'm', model_name: '*', scope: 'virtual_key', scope_id: 'a', rate_limit_ids: ['rate-limit-half-day'] },
        ],
        rate_limits: [
          { id: 'rate-limit-hour', token_max_limit: 900, token_reset_duration: '1h' },
          { id: 'rate-limit-half-day', token_max_limit: 9_000, token_reset_duration: '12h' },
        ],
      },
    });
    const names = accounts.flatMap(({ budgets }) => budgets.map(({ name }) => name));
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(100);
  });

  it.each([
    [900, 'soon', 'token_reset_duration'],
    ...['1m', '1h', '1M'].map((duration) => [1e18, duration, 'token_max_limit'] as const),
  ] as const)('have no limit of %s tokens in %s: nobody knows %s', async (most, duration, wrong) => {
    const limits = [{ id: 'l', token_max_limit: most, token_reset_duration: duration }];
    const { accounts, settings } = await importing({
      governance: { virtual_keys: [{ id: 'a', value: 'sk-bf-a', rate_limit_id: 'l' }], rate_limits: limits },
    });
    expect(accounts.flatMap(({ keys }) => keys)).toMatchObject([{ tpm: null, quotaTokens: null }]);
    expect(accounts.flatMap(({ budgets }) => budgets)).toEqual([]);
    expect(settings.find(({ setting }) => setting.endsWith(wrong))?.outcome).toBe('not carried');
  });

  it('of a team or a customer share its tokens', async () => {
    const { accounts } = await importing({
      governance: {
        virtual_keys: [
          { id: 'a', value: 'sk-bf-a', team_id: 't' },
          { id: 'b', value: 'sk-bf-b', customer_id: 'c' },
        ],
        teams: [{ id: 't', customer_id: 'c', rate_limit_id: 'month' }],
        customers: [{ id: 'c', rate_limit_id: 'day' }],
        rate_limits: [
          { id: 'month', token_max_limit: 9_000, token_reset_duration: '1M' },
          { id: 'day', token_max_limit: 900, token_reset_duration: '1d' },
        ],
      },
    });
    expect(new Set(accounts.map(({ reference }) => reference))).toEqual(new Set(['bifrost:customer:c']));
    expect(accounts.flatMap(({ keys }) => keys.map(({ quotaTokens }) => quotaTokens))).toEqual([null, null]);
    expect(accounts.flatMap(({ budgets }) => budgets)).toMatchObject([
      { limitTokens: 900, window: 'day', keys: [] },
      { limitTokens: 9_000, window: 'month', keys: [sha256('sk-bf-a')] },
    ]);
  });

  it('of a file of 1.4 may use everything where nothing is said', async () => {
    const old = { version: 1, governance: { virtual_keys: [{ id: 'a', value: 'sk-bf-a' }] } };
    const { accounts } = await importing(old);
    expect(accounts[0]?.keys[0]?.models).toEqual([]);
  });

  it('that cannot come over, and all that has no place here, are told', async () => {
    const { told, settings } = await importing({
      ...{ $schema: 'x', unheard: 1, config_store: { enabled: true }, governance },
      client: { enforce_auth_on_inference: true, compat: { should_drop_params: true }, mcp_agent_depth: 1 },
      plugins: [{ name: 'otel' }, { name: 'semantic_cache' }],
    });
    const reasons = settings
      .filter(({ setting }) => setting === 'governance.virtual_keys.value')
      .map(({ note }) => note);
    for (const reason of ['begin with sk-', 'Bifrost made it up', 'set NOT_SET', 'set VK3'])
      expect(reasons.some((note) => note.includes(reason))).toBe(true);
    for (const [setting, outcome] of [
      ['governance.virtual_keys (expired)', 'not carried'],
      ['governance.rate_limits.request_max_limit', 'changed'],
      ['governance.rate_limits.token_max_limit', 'carried'],
      ['governance.rate_limits.token_reset_duration', 'changed'],
      ['rate_limit_id (teams, customers)', 'changed'],
      ['governance.budgets (rolling)', 'changed'],
      ['governance.virtual_keys.provider_configs.budget_id', 'not carried'],
      ['governance.model_configs', 'not carried'],
      ['governance.routing_rules', 'not carried'],
      ['client.enforce_auth_on_inference', 'carried'],
      ['client.compat.should_drop_params', 'changed'],
      ['client.mcp_agent_depth', 'not carried'],
      ['plugins.otel', 'not carried'],
      ['config_store', 'not carried'],
      ['unheard', 'not carried'],
    ] as const)
      expect([setting, told(setting)]).toEqual([setting, expect.arrayContaining([outcome])]);
    expect(told('$schema')).toEqual([]);
  });
});

it.each(['{"a": 1}', '[]', '{"providers": 1}'])('refuses what is none: %s', async (text) => {
  writeFileSync(join(folder, 'config.json'), text);
  const wish = `import bifrost ${join(folder, 'config.json')} --dry-run`;
  await expect(ran(wish, [])).rejects.toThrow('is no config.json of Bifrost');
});
