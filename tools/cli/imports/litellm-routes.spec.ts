import { litellmConfig, fromLitellmConfig } from './litellm-config';
import { builtInProviders, knownModels } from './known-models';
import { SettingsReport } from './settings-report';
import { sift } from './sift';

const known = knownModels();

/** Entries of tollgate.yaml for a model of each of these, and what is told. */
function importing(deployments: readonly object[], sections: object = {}, prices = new Map<string, object>()) {
  const report = new SettingsReport();
  const list = deployments.map((params, index) => ({ model_name: `m${index}`, litellm_params: params }));
  const config = sift(litellmConfig, { model_list: list, ...sections }, report);
  const made = fromLitellmConfig(config, { builtIn: builtInProviders, known, prices, report });
  return { ...made, lines: report.lines };
}

describe('a deployment of LiteLLM', () => {
  it('in the format of OpenAI, at the address of a provider that is built in, is that provider', () => {
    const { providers, models } = importing([
      { model: 'openai/deepseek/deepseek-v4-flash', api_base: 'https://openrouter.ai/api/v1' },
      {
        model: 'openai/deepseek-chat',
        api_base: 'https://api.deepseek.com/v1/',
        api_key: 'os.environ/DEEPSEEK_API_KEY',
      },
      { model: 'openai/llama', api_base: 'http://gpu:8000/v1' },
    ]);
    expect(models.map(({ deployments }) => deployments)).toEqual([
      [{ provider: 'openrouter', upstreamModel: 'deepseek/deepseek-v4-flash' }],
      [{ provider: 'deepseek', upstreamModel: 'deepseek-chat' }],
      [{ provider: 'openai-compatible', upstreamModel: 'llama' }],
    ]);
    expect(providers.map(({ id }) => id)).toEqual(['openai-compatible']);
  });

  it('that names no model is told, and costs the others nothing', () => {
    const { models, lines } = importing([
      { model: 'azure/', api_base: 'https://eu.openai.azure.com' },
      { model: 'gpt-4.1' },
    ]);
    expect(models.map(({ id }) => id)).toEqual(['m1']);
    expect(lines).toContainEqual(
      expect.objectContaining({ setting: 'model_list: m0', note: 'azure/ names no model: add it by hand' }),
    );
  });

  it('whose name ends with a slash is that model; an interface in front of it is none of its name', () => {
    const { models, lines } = importing([
      { model: 'openai/gpt-4o/' },
      { model: 'openai/responses/gpt-5', api_base: 'https://api.deepseek.com' },
    ]);
    expect(models.map(({ deployments }) => deployments)).toEqual([
      [{ provider: 'openai', upstreamModel: 'gpt-4o/' }],
      [{ provider: 'deepseek', upstreamModel: 'gpt-5' }],
    ]);
    expect(lines.filter(({ note }) => note.includes('names no model'))).toEqual([]);
  });

  it('costs what its provider takes, however it is spelled', () => {
    const prices = new Map(
      ['deepseek/zz-9', 'openrouter/deepseek/zz-9'].map((name, index) => [name, { input: String(index + 1) }]),
    );
    const { models } = importing(
      [
        { model: 'openrouter/deepseek/zz-9' },
        { model: 'openai/deepseek/zz-9', api_base: 'https://openrouter.ai/api/v1' },
        { model: 'openai/zz-9', api_base: 'https://api.deepseek.com' },
        { model: 'deepseek/zz-9' },
      ],
      {},
      prices,
    );
    expect(models.map((model) => model.prices)).toEqual(['2', '2', '1', '1'].map((input) => ({ input })));
  });

  it('that chooses among models is told as what it is', () => {
    const router = { model: 'auto_router/adaptive_router', adaptive_router_config: {} };
    const { models, lines } = importing([router]);
    expect(models).toEqual([]);
    expect(lines).toEqual([
      expect.objectContaining({ setting: 'model_list: m0', note: expect.stringContaining('chooses a model') }),
    ]);
  });

  it.each([
    ['openai/gpt-luna-latest', 1],
    ['anthropic/claude-opus-latest', 1],
    ['openai/gpt-5-chat-latest', 0],
    ['mistral/mistral-large-latest', 0],
    ['dashscope/qwen-max-latest', 1],
    ['moonshot/kimi-latest', 1],
  ])('%s is told where LiteLLM alone knows the name (%i)', (model, times) => {
    const { lines } = importing([{ model }]);
    expect(lines.filter(({ note }) => note.includes('newest model'))).toHaveLength(times);
  });

  it('of a family is told where the provider stands beside the name', () => {
    const { lines } = importing([{ model: 'gpt-luna-latest', custom_llm_provider: 'openai' }]);
    expect(lines.filter(({ note }) => note.includes('newest model'))).toHaveLength(1);
  });

  it('with an odd value costs nobody the file', () => {
    const odd = { timeout: 'os.environ/PATIENCE', organization: ['org-1', 'org-2'], extra_headers: { retries: 3 } };
    const { models, lines } = importing([
      { model: 'gpt-4.1', ...odd },
      { model: 'gpt-4o', timeout: '7' },
    ]);
    expect(models).toMatchObject([{ id: 'm0' }, { id: 'm1', timeouts: { totalMs: 7_000 } }]);
    expect(models[0]).not.toHaveProperty('timeouts');
    const told = lines.filter(({ note }) => note.includes('cannot be read'));
    expect(told.map(({ setting, outcome }) => [setting, outcome])).toEqual([
      ['litellm_params.organization', 'not carried'],
      ['litellm_params.extra_headers.retries', 'not carried'],
      ['litellm_params.timeout', 'not carried'],
    ]);
  });

  it('at an address that only the environment knows is not told as carried', () => {
    const { lines } = importing([{ model: 'azure/gpt', api_base: 'os.environ/AZURE_API_BASE' }]);
    expect(lines.filter(({ setting }) => setting === 'litellm_params.api_base')).toMatchObject([
      { outcome: 'not carried' },
    ]);
  });
});

describe('a config.yaml of LiteLLM', () => {
  const good = { model_name: 'good', litellm_params: { model: 'gpt-4.1' } };

  it.each([
    ['', { model_name: 'odd', litellm_params: { model: '' } }, 'model_list: odd: litellm_params.model'],
    ['null', { model_name: 'odd', litellm_params: { model: null } }, 'model_list: odd: litellm_params.model'],
    ['none', { model_name: 'odd', litellm_params: { weight: 1 } }, 'model_list: odd: litellm_params.model'],
    ['7', { model_name: 'odd', litellm_params: { model: 7 } }, 'model_list: odd: litellm_params.model'],
    ['of no parameters', { model_name: 'odd', litellm_params: null }, 'model_list: odd: litellm_params'],
    ['of no name', { litellm_params: { model: 'gpt-4o' } }, 'model_list: entry 2: model_name'],
    ['of nothing', null, 'model_list: entry 2: what it holds'],
  ])('comes without a deployment that is none (%s), which is told', (_what, odd, told) => {
    const { models, lines } = importing([], { model_list: [good, odd, { ...good, model_name: 'last' }] });
    expect(models.map(({ id }) => id)).toEqual(['good', 'last']);
    const left = lines.filter(({ note }) => note.includes('cannot be read'));
    expect(left.map(({ setting, note, outcome }) => [`${setting}: ${note.split(' cannot')[0]}`, outcome])).toEqual([
      [told, 'not carried'],
    ]);
  });

  it('comes with what can be read beside what cannot', () => {
    const { models, lines } = importing([], {
      model_list: [
        { ...good, model_info: 'x' },
        { ...good, model_name: 4, model_info: 'x' },
      ],
      router_settings: [],
      litellm_settings: { model_group_alias: { fast: '4' } },
      credential_list: [{ credential_values: {} }],
    });
    expect(models).toMatchObject([{ id: 'good' }, { id: '4', aliases: ['fast'] }]);
    const left = lines.filter(({ note }) => note.includes('cannot be read'));
    expect(left.map(({ setting, count }) => [setting, count])).toEqual([
      ['model_info', 2],
      ['credential_list: entry 1', 1],
      ['router_settings', 1],
    ]);
  });

  it('that is none is refused', () => {
    expect(() => importing([], { model_list: [good] }).models).not.toThrow();
    expect(() => sift(litellmConfig, [good], new SettingsReport())).toThrow();
  });
});

it('says of a setting of LiteLLM the same in whatever section it stands', () => {
  const { lines } = importing([], {
    general_settings: { max_budget: 2, default_internal_user_params: {}, unheard: 1, fallbacks: [], timeout: 1 },
    litellm_settings: { allow_requests_on_db_unavailable: true, database_url: 'x' },
  });
  const misplaced = ['general_settings.fallbacks', 'general_settings.timeout', 'litellm_settings.database_url'];
  for (const { setting, outcome, note } of lines.filter((line) => misplaced.includes(line.setting)))
    expect([setting, outcome, note]).toEqual([setting, 'not carried', expect.stringContaining('LiteLLM reads it in')]);
  const notes = Object.fromEntries(lines.map(({ setting, note }) => [setting, note]));
  expect(notes['general_settings.max_budget']).toContain('tollgate budgets create');
  expect(notes['general_settings.default_internal_user_params']).toContain('plans of tollgate.yaml');
  expect(notes['litellm_settings.allow_requests_on_db_unavailable']).toContain('without Postgres');
  expect(notes['general_settings.unheard']).toContain('no setting of this name');
});

it('loses no alias and no fallback for another that cannot be read, and tells that one', () => {
  const { models, lines } = importing([{ model: 'gpt-4.1' }, { model: 'gpt-4o' }, { model: 'gpt-5' }], {
    router_settings: {
      model_group_alias: { smart: ['m0'], fast: 'm1', hidden: { model: 'm2', hidden: true } },
      fallbacks: [{ m0: 'm1' }, { m1: [{ model: 'm2' }] }, { m2: 7 }],
    },
    litellm_settings: { model_group_alias: 'm0', fallbacks: 'm0', default_fallbacks: { m0: 'm1' } },
  });
  expect(models.map(({ aliases, fallbacks }) => ({ aliases, fallbacks }))).toEqual([
    { aliases: undefined, fallbacks: ['m1'] },
    { aliases: ['fast'], fallbacks: ['m2'] },
    { aliases: ['hidden'], fallbacks: undefined },
  ]);
  const left = lines.filter(({ outcome, setting }) => outcome === 'not carried' && /alias|fallback/.test(setting));
  expect(left.map(({ setting, note }) => `${setting}: ${note.split(':')[0]}`)).toEqual([
    'router_settings.model_group_alias: smart',
    'litellm_settings.model_group_alias: it cannot be read',
    'router_settings.fallbacks: m2',
    'litellm_settings.fallbacks: it cannot be read',
    'litellm_settings.default_fallbacks: it cannot be read',
  ]);
});
