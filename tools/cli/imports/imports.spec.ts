import { parseTollgateFile } from '@tollgate/configuration';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ran } from '../ran.fixture';
import type { SettingLine } from './settings-report';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `prices`: LiteLLM's price document. */
async function importing(config: string, prices?: object) {
  const [from, to] = [join(folder, 'config.yaml'), join(folder, 'tollgate.yaml')];
  writeFileSync(from, config);
  rmSync(to, { force: true });
  const document = join(folder, 'prices.json');
  if (prices) writeFileSync(document, JSON.stringify(prices));
  const more = prices ? ` --prices ${document}` : '';
  const { out, asked } = await ran(`import litellm --config ${from} --write ${to} --json${more}`, []);
  expect(asked).toEqual([]);
  const { settings } = JSON.parse(out) as { settings: SettingLine[] };
  const text = readFileSync(to, 'utf8');
  const file = parseTollgateFile('tollgate.yaml', text);
  const outcomeOf = (setting: string) => settings.find((line) => line.setting === setting)?.outcome;
  return { settings, text, ...file, outcomeOf, model: (id: string) => file.models.find((one) => one.id === id) };
}

describe('a config.yaml of LiteLLM', () => {
  it('becomes models of the same names, with what the catalog knows of them', async () => {
    const { model, providers } = await importing(`model_list:
  - { model_name: gpt-4.1, litellm_params: { model: gpt-4.1 } }
  - { model_name: emb, litellm_params: { model: openai/text-embedding-3-small, api_key: os.environ/OPENAI_API_KEY } }
  - { model_name: eu, litellm_params: { model: azure/my-gpt, api_base: 'https://eu.openai.azure.com/', api_key: os.environ/AZURE_EU, api_version: x }, model_info: { base_model: azure/gpt-4.1 } }
`);
    expect(model('gpt-4.1')).toMatchObject({
      deployments: [{ provider: 'openai', upstreamModel: 'gpt-4.1' }],
      prices: { input: expect.any(String), output: expect.any(String) },
      contextWindow: expect.any(Number),
    });
    expect(model('emb')).toMatchObject({ kind: 'embedding' });
    expect(model('eu')).toMatchObject({ prices: model('gpt-4.1')?.prices, deployments: [{ upstreamModel: 'my-gpt' }] });
    expect(providers).toEqual([
      { id: 'azure', baseUrl: 'https://eu.openai.azure.com/openai/v1', apiKeyEnv: ['AZURE_EU'] },
    ]);
  });

  it('has several deployments, keys and servers of its own; no key comes into the file', async () => {
    const { model, providers, text, settings } = await importing(`model_list:
  - { model_name: fast, litellm_params: { model: groq/llama-3.3-70b-versatile, api_key: gsk-secret-one, weight: 3, order: 1, max_parallel_requests: 8 } }
  - { model_name: fast, litellm_params: { model: groq/llama-3.3-70b-versatile, api_key: gsk-secret-two, order: 1 } }
  - { model_name: fast, litellm_params: { model: hosted_vllm/llama, api_base: 'http://gpu:8000/v1', input_cost_per_token: 2.0e-7, output_cost_per_token: 6.0e-7, timeout: 30, stream_timeout: 2.5 } }
  - { model_name: bed, litellm_params: { model: bedrock/converse/us.anthropic.claude-x, aws_region_name: eu-west-1 } }
  - { model_name: gem, litellm_params: { model: vertex_ai/gemini-x, vertex_project: acme, vertex_location: europe-west4 } }
`);
    expect(model('fast')).toMatchObject({
      deployments: [
        { provider: 'groq', weight: 3, priority: 1, maxConcurrent: 8 },
        { provider: 'groq-2', weight: 1, priority: 1 },
        { provider: 'vllm', upstreamModel: 'llama', weight: 1 },
      ],
      prices: { input: '0.2', output: '0.6' },
      timeouts: { firstByteMs: 2_500, totalMs: 30_000 },
    });
    expect(model('bed')).toMatchObject({ deployments: [{ upstreamModel: 'us.anthropic.claude-x' }] });
    expect(providers.map(({ id, baseUrl, apiKeyEnv }) => [id, baseUrl, apiKeyEnv])).toEqual([
      ['groq-2', 'https://api.groq.com/openai/v1', ['GROQ_2_API_KEY']],
      ['vllm', 'http://gpu:8000/v1', undefined],
      ['bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com', undefined],
      [
        'vertex',
        'https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4/publishers/google',
        undefined,
      ],
    ]);
    for (const secret of ['gsk-secret-one', 'gsk-secret-two']) {
      expect(text).not.toContain(secret);
      expect(JSON.stringify(settings)).not.toContain(secret);
    }
  });

  it('has aliases, timeouts and fallbacks; what would run in a circle or cross kinds is left out and told', async () => {
    const { model, settings, outcomeOf } = await importing(`model_list:
  - { model_name: a, litellm_params: { model: openai/gpt-4.1 } }
  - { model_name: b b, litellm_params: { model: openai/gpt-4.1-mini, timeout: 5 } }
  - { model_name: c, litellm_params: { model: openai/gpt-4.1-nano } }
  - { model_name: e, litellm_params: { model: openai/text-embedding-3-small } }
router_settings:
  model_group_alias: { x: a, y: { model: a, hidden: true }, z: none }
  fallbacks: [{ a: ['b b', c] }, { 'b b': [a] }, { none: [a] }]
  timeout: 60
litellm_settings: { default_fallbacks: [c] }
`);
    expect(model('a')).toMatchObject({ aliases: ['x', 'y'], fallbacks: ['b-b', 'c'], timeouts: { totalMs: 60_000 } });
    expect(model('b-b')).toMatchObject({ timeouts: { totalMs: 5_000 } });
    expect(model('b-b')?.fallbacks).toBeUndefined();
    expect(model('e')?.fallbacks).toBeUndefined();
    expect(outcomeOf('model_list: b b')).toBe('changed');
    const notes = settings.map(({ note }) => note);
    for (const left of [
      'b-b to a is left out',
      'e to c is left out',
      'z: there is no model none',
      'none: there is no such',
    ])
      expect(notes.some((note) => note.startsWith(left))).toBe(true);
  });

  it('asks models by their names, whatever LiteLLM puts before them, in the region that is said', async () => {
    const { model, providers, settings, outcomeOf } = await importing(`model_list:
  - { model_name: r, litellm_params: { model: openai/responses/gpt-5 } }
  - { model_name: o, litellm_params: { model: azure/o_series/mine, api_base: 'https://eu.openai.azure.com' } }
  - { model_name: gov, litellm_params: { model: bedrock/us-gov-west-1/amazon.nova-pro-v1:0 } }
  - { model_name: sol, litellm_params: { model: bedrock/chat_completions/us.openai.gpt-5.6-sol, aws_region_name: us-west-2 } }
  - { model_name: oss, litellm_params: { model: bedrock/openai.gpt-oss-20b-1:0, aws_region_name: os.environ/MY_REGION } }
  - { model_name: agent, litellm_params: { model: bedrock/agent/L1RT58GYRW/MFPSBCXYTW } }
`);
    const placeOf = (id: string) =>
      model(id)?.deployments?.map(({ provider, upstreamModel }) => [provider, upstreamModel]);
    expect(placeOf('r')).toEqual([['openai', 'gpt-5']]);
    expect(placeOf('o')).toEqual([['azure', 'mine']]);
    expect(placeOf('gov')).toEqual([['bedrock', 'amazon.nova-pro-v1:0']]);
    expect(placeOf('sol')).toEqual([['bedrock-openai', 'us.openai.gpt-5.6-sol']]);
    expect(placeOf('oss')).toEqual([['bedrock-2', 'openai.gpt-oss-20b-1:0']]);
    expect(providers.flatMap(({ id, baseUrl }) => (id.startsWith('bedrock') ? [[id, baseUrl]] : []))).toEqual([
      ['bedrock', 'https://bedrock-runtime.us-gov-west-1.amazonaws.com'],
      ['bedrock-openai', 'https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1'],
      ['bedrock-2', 'https://bedrock-runtime.{region}.amazonaws.com'],
    ]);
    expect(model('agent')).toBeUndefined();
    expect(outcomeOf('model_list: agent')).toBe('not carried');
    expect(settings).toContainEqual({
      ...{ setting: 'litellm_params.aws_region_name', count: 1, outcome: 'changed' },
      note: 'set AWS_REGION of inference to what MY_REGION holds, one for all',
    });
  });

  it('takes what neither it nor the catalog prices of the price document that LiteLLM charges by', async () => {
    const config = `model_list:
  - { model_name: claude, litellm_params: { model: bedrock/us.anthropic.claude-new-v1:0 } }
  - { model_name: newest, litellm_params: { model: mistral/mistral-new-latest } }
  - { model_name: said, litellm_params: { model: mistral/mistral-new-latest, input_cost_per_token: 1.0e-6, output_cost_per_token: 2.0e-6 } }
  - { model_name: ours, litellm_params: { model: openai/gpt-4.1 } }
  - { model_name: medium, litellm_params: { model: mistral/mistral-medium-latest } }
  - { model_name: mixed, litellm_params: { model: openai/gpt-4.1 } }
  - { model_name: mixed, litellm_params: { model: bedrock/us.anthropic.claude-new-v1:0 } }
  - { model_name: alike, litellm_params: { model: openai/gpt-4.1 } }
  - { model_name: alike, litellm_params: { model: openai/gpt-4.1, input_cost_per_token: 2.0e-6, output_cost_per_token: 8.0e-6 } }
  - { model_name: nowhere, litellm_params: { model: mistral/mistral-secret } }
`;
    const dear = { input_cost_per_token: 5, output_cost_per_token: 5 };
    const { model, text, outcomeOf } = await importing(config, {
      'us.anthropic.claude-new-v1:0': {
        litellm_provider: 'bedrock_converse',
        ...{ input_cost_per_token: 3.3e-6, output_cost_per_token: 1.65e-5, cache_read_input_token_cost: 3.3e-7 },
        ...{ input_cost_per_token_above_200k_tokens: 6.6e-6, output_cost_per_token_above_200k_tokens: 2.475e-5 },
      },
      'mistral/mistral-new-latest': {
        ...{ litellm_provider: 'mistral', input_cost_per_token: 5e-7, output_cost_per_token: 1.5e-6 },
      },
      'gpt-4.1': { litellm_provider: 'openai', ...dear },
    });
    expect(model('claude')?.prices).toMatchObject({
      ...{ input: '3.3', output: '16.5', cachedInput: '0.33' },
      longContext: [{ aboveInputTokens: 200_000, input: '6.6', output: '24.75' }],
    });
    expect(text.split('id: said')[0]).not.toContain('null');
    expect(model('newest')?.prices).toMatchObject({ input: '0.5', output: '1.5' });
    expect(model('said')?.prices).toMatchObject({ input: '1', output: '2' });
    expect(model('ours')?.prices).toMatchObject({ input: '2', output: '8' });
    expect(model('medium')?.prices).toMatchObject({ input: '1.5', output: '7.5' });
    expect(model('mixed')?.prices).toMatchObject({ input: '2', output: '8' });
    expect(outcomeOf('model_list (price)')).toBe('carried');
    expect(outcomeOf('model_list: mixed (price)')).toBe('changed');
    expect(outcomeOf('model_list: alike (price)')).toBeUndefined();
    expect(outcomeOf('model_list: nowhere (price)')).toBe('not carried');
    expect(outcomeOf('model_list: claude (price)')).toBeUndefined();
  });

  it('charges by every rate that a deployment says, also of long requests; one rate alone is told', async () => {
    const { model, settings } = await importing(`model_list:
  - model_name: long
    litellm_params:
      model: hosted_vllm/llama
      api_base: http://gpu:8000/v1
      input_cost_per_token: 3.0e-6
      output_cost_per_token: 1.5e-5
      cache_creation_input_token_cost_above_1hr: 6.0e-6
      output_cost_per_reasoning_token: 2.0e-5
      input_cost_per_token_above_272k_tokens: 9.0e-6
      input_cost_per_token_above_128k_tokens: 6.0e-6
  - { model_name: emb, litellm_params: { model: hosted_vllm/bge, api_base: 'http://gpu:8000/v1', input_cost_per_token: 1.0e-8 }, model_info: { mode: embedding } }
  - { model_name: free, litellm_params: { model: hosted_vllm/own, api_base: 'http://gpu:8000/v1', input_cost_per_token: 0, output_cost_per_token: 0 } }
  - { model_name: half, litellm_params: { model: gpt-4.1, output_cost_per_token: 1.0e-6 } }
  - { model_name: odd, litellm_params: { model: gpt-4.1, input_cost_per_token: os.environ/COST, output_cost_per_token: -1, cache_read_input_token_cost: '' } }
`);
    const usual = { input: '3', output: '15', cacheWrite1h: '6', reasoning: '20' };
    expect(model('long')?.prices).toMatchObject({
      ...usual,
      longContext: [
        { ...usual, aboveInputTokens: 128_000, input: '6' },
        { ...usual, aboveInputTokens: 272_000, input: '9' },
      ],
    });
    expect(model('emb')?.prices).toMatchObject({ input: '0.01', output: '0' });
    expect(model('free')?.prices).toMatchObject({ input: '0', output: '0' });
    for (const name of ['half', 'odd']) expect(model(name)?.prices).toMatchObject({ input: '2', output: '8' });
    expect(settings.filter(({ note }) => note.startsWith('it is no number'))).toHaveLength(3);
    const told = settings.map(({ setting, outcome, count }) => [setting, outcome, count]);
    expect(told).toContainEqual(['litellm_params.input_cost_per_token_above_272k_tokens', 'carried', 1]);
    expect(told).toContainEqual(['litellm_params.output_cost_per_token', 'carried', 2]);
    expect(told).toContainEqual(['litellm_params.output_cost_per_token', 'not carried', 1]);
  });

  it('waits for a first byte as long as the router does, where a deployment says nothing of it', async () => {
    const { model, outcomeOf } = await importing(`model_list:
  - { model_name: usual, litellm_params: { model: openai/gpt-4.1 } }
  - { model_name: own, litellm_params: { model: openai/gpt-4.1-mini, timeout: 5 } }
router_settings: { stream_timeout: 3, timeout: 60 }
litellm_settings: { request_timeout: 600 }
`);
    expect(model('usual')?.timeouts).toEqual({ firstByteMs: 3_000, totalMs: 60_000 });
    expect(model('own')?.timeouts).toEqual({ firstByteMs: 3_000, totalMs: 5_000 });
    expect(outcomeOf('router_settings.stream_timeout')).toBe('carried');
    expect(outcomeOf('litellm_settings.request_timeout')).toBe('changed');
  });

  it('says of what most files have what to do in its place', async () => {
    const { settings } = await importing(`model_list:
  - model_name: a
    litellm_params: { model: gpt-4.1, tags: [free], max_budget: 1, budget_duration: 1d, headers: { a: b }, tenant_id: t, aws_role_name: r }
guardrails: [{ guardrail_name: pii, litellm_params: { guardrail: presidio, mode: pre_call } }]
mcp_servers: { docs: { url: 'https://mcp.example.com' } }
litellm_settings: { tag_budget_config: {}, default_max_internal_user_budget: 1, additional_drop_params: [], request_timeout: 9 }
router_settings: { optional_pre_call_checks: [], default_max_parallel_requests: 3, max_fallbacks: 2 }
general_settings: { max_request_size_mb: 5, user_header_name: X-User, store_prompts_in_spend_logs: true, key_management_system: hashicorp_vault }
`);
    const left = settings.filter(({ outcome }) => outcome === 'not carried');
    expect(left.map(({ setting }) => setting)).toEqual(
      expect.arrayContaining(['guardrails', 'mcp_servers', 'litellm_params.tags', 'general_settings.user_header_name']),
    );
    const general = /Tollgate has no setting of this name|callers say it in their requests, or it has no like here/;
    expect(left.filter(({ note }) => general.test(note)).map(({ setting }) => setting)).toEqual([]);
  });

  it('reads what deployments name together, and the files that it includes', async () => {
    writeFileSync(
      join(folder, 'more.yaml'),
      `include: [more.yaml, last.yaml]
model_list:
  - { model_name: second, litellm_params: { model: openai/llama, litellm_credential_name: gpu } }
router_settings: { timeout: 7 }
`,
    );
    const third = 'model_list:\n  - { model_name: third, litellm_params: { model: openai/gpt-4.1 } }\n';
    writeFileSync(join(folder, 'last.yaml'), third);
    const { model, providers, settings, outcomeOf, text } = await importing(`include: [more.yaml]
model_list:
  - { model_name: first, litellm_params: { model: openai/llama, litellm_credential_name: gpu, api_key: os.environ/OWN } }
  - { model_name: lost, litellm_params: { model: openai/gpt-4.1, litellm_credential_name: of-the-database } }
credential_list:
  - { credential_name: gpu, credential_values: { api_base: 'http://gpu:8000/v1', api_key: sk-of-the-gpu }, credential_info: {} }
router_settings: { timeout: 60 }
`);
    expect(providers.map(({ baseUrl, apiKeyEnv }) => [baseUrl, apiKeyEnv])).toEqual([
      ['http://gpu:8000/v1', ['OWN']],
      ['http://gpu:8000/v1', [expect.stringMatching(/_API_KEY$/)]],
    ]);
    expect(model('first')?.deployments?.[0]?.provider).toBe(providers[0]?.id);
    expect(model('second')).toMatchObject({
      deployments: [{ provider: providers[1]?.id, upstreamModel: 'llama' }],
      timeouts: { totalMs: 7_000 },
    });
    expect(model('lost')).toMatchObject({ deployments: [{ provider: 'openai', upstreamModel: 'gpt-4.1' }] });
    expect(model('third')).toMatchObject({ deployments: [{ provider: 'openai' }] });
    expect(outcomeOf('credential_list')).toBe('carried');
    expect(settings.filter(({ setting }) => setting === 'include')).toMatchObject([{ outcome: 'carried', count: 2 }]);
    expect(outcomeOf('litellm_params.litellm_credential_name')).toBe('not carried');
    expect(text).not.toContain('sk-of-the-gpu');
  });

  it('tells which of its files cannot be read', async () => {
    await expect(importing('include: [none.yaml]\nmodel_list: []\n')).rejects.toThrow(/none.yaml cannot be read/);
  });

  it('names every other setting, also one that nobody has heard of', async () => {
    const { outcomeOf, providers } = await importing(`model_list:
  - { model_name: a, litellm_params: { model: openai/gpt-4.1, rpm: 5, unheard: 1 }, model_info: { id: x, access_groups: [g] } }
  - { model_name: 'openai/*', litellm_params: { model: 'openai/*' } }
  - { model_name: picture, litellm_params: { model: openai/dall-e-3 }, model_info: { mode: image_generation } }
  - { model_name: odd, litellm_params: { model: sagemaker/x } }
router_settings: { redis_host: h, num_retries: 2, unheard: 1 }
litellm_settings: { drop_params: true, success_callback: [langfuse] }
general_settings: { master_key: sk-1234, alerting: [slack] }
environment_variables: { LANGFUSE_KEY: secret }
guardrails: []
`);
    expect(providers).toEqual([{ id: 'openai', unlisted: true }]);
    for (const [setting, outcome] of [
      ['model_list', 'carried'],
      ['model_info.access_groups', 'carried'],
      ['model_list: openai/*', 'changed'],
      ['router_settings.num_retries', 'changed'],
      ['litellm_settings.drop_params', 'changed'],
      ['environment_variables', 'changed'],
      ['litellm_params.rpm', 'not carried'],
      ['litellm_params.unheard', 'not carried'],
      ['model_info.id', 'not carried'],
      ['model_list: picture', 'not carried'],
      ['model_list: odd', 'not carried'],
      ['router_settings.redis_host', 'not carried'],
      ['router_settings.unheard', 'not carried'],
      ['litellm_settings.success_callback', 'not carried'],
      ['general_settings.master_key', 'not carried'],
      ['general_settings.alerting', 'not carried'],
      ['guardrails', 'not carried'],
    ] as const)
      expect([setting, outcomeOf(setting)]).toEqual([setting, outcome]);
  });

  it.each(['a: [', '- a'])('that is none is refused: %s', async (config) => {
    await expect(importing(config)).rejects.toThrow('is no config.yaml of LiteLLM');
  });

  it.each([[], {}, { data: [{ id: 'openai/gpt-4.1', pricing: { prompt: '0.000002' } }] }])(
    'is not read where the price document is none: %j',
    async (prices) => {
      await expect(importing('model_list: []', prices)).rejects.toThrow('is no price document of LiteLLM');
    },
  );

  it('is needed for prices: the database has no models', async () => {
    const command = 'import litellm --database postgresql://nobody --prices prices.json --dry-run';
    await expect(ran(command, [])).rejects.toThrow('--prices is for the models of --config');
  });

  it('is shown as a table, with what to do', async () => {
    const from = join(folder, 'config.yaml');
    writeFileSync(from, 'model_list: [{ model_name: a, litellm_params: { model: openai/gpt-4.1 } }]\n');
    const { out } = await ran(`import litellm --config ${from} --write ${join(folder, 'none.yaml')} --dry-run`, []);
    expect(out).toMatch(/^SETTING +COUNT +OUTCOME +HOW, OR WHAT TO DO\n/);
    expect(out).toContain('1 carried, 0 changed, 0 not carried');
    expect(out).toContain('Nothing was changed.');
    expect(() => readFileSync(join(folder, 'none.yaml'))).toThrow('ENOENT');
  });
});

describe('a list of endpoints', () => {
  const endpoints = `
- { name: GPU One, base_url: 'http://gpu-1:8000/v1', api_key: '\${GPU_KEY}', models: [llama, { name: qwen }], weight: 3 }
- { name: GPU One, baseUrl: 'http://gpu-2:8000/v1', apiKey: sk-in-the-file, model: llama, region: eu }
- { url: 'http://10.0.0.7:1234/v1', api_key: none }
`;

  it('becomes providers and models; no key comes into the file', async () => {
    const [from, to] = [join(folder, 'endpoints.yaml'), join(folder, 'tollgate.yaml')];
    for (const said of [endpoints, `endpoints: ${endpoints.replaceAll('\n', '\n  ')}`]) {
      rmSync(to, { force: true });
      writeFileSync(from, said);
      const { out } = await ran(`import openai-compatible ${from} --write ${to} --json`, []);
      const text = readFileSync(to, 'utf8');
      expect(text).not.toContain('sk-in-the-file');
      const file = parseTollgateFile('tollgate.yaml', text);
      const told = file.providers.map(({ id, baseUrl, apiKeyEnv, models }) => [id, baseUrl, apiKeyEnv, models]);
      expect(told).toEqual([
        ['gpu-one', 'http://gpu-1:8000/v1', ['GPU_KEY'], undefined],
        ['gpu-one-2', 'http://gpu-2:8000/v1', ['GPU_ONE_2_API_KEY'], undefined],
        ['10-0-0-7', 'http://10.0.0.7:1234/v1', undefined, {}],
      ]);
      expect(file.models).toEqual([
        {
          id: 'llama',
          deployments: [
            { provider: 'gpu-one', upstreamModel: 'llama', weight: 3 },
            { provider: 'gpu-one-2', upstreamModel: 'llama', weight: 1 },
          ],
        },
        { id: 'qwen', deployments: [{ provider: 'gpu-one', upstreamModel: 'qwen' }] },
      ]);
      const { settings } = JSON.parse(out) as { settings: SettingLine[] };
      expect(settings.find(({ setting }) => setting === 'endpoint.region')?.outcome).toBe('not carried');
    }
  });

  it.each(['endpoints: x', 'a: 1'])('that is none is refused: %s', async (said) => {
    const from = join(folder, 'endpoints.yaml');
    writeFileSync(from, said);
    await expect(ran(`import openai-compatible ${from} --dry-run`, [])).rejects.toThrow('is no list of endpoints');
  });
});
