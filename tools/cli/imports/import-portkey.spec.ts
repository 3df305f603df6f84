import { parseTollgateFile } from '@tollgate/configuration';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ran } from '../ran.fixture';
import { knownModels } from './known-models';
import type { SettingLine } from './settings-report';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-portkey-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function importing(config: object, more = '', name = 'main') {
  const [from, to] = [join(folder, `${name}.json`), join(folder, 'tollgate.yaml')];
  writeFileSync(from, JSON.stringify(config));
  const { out, asked } = await ran(`import portkey ${from} --write ${to} --json${more}`, []);
  expect(asked).toEqual([]);
  const { settings } = JSON.parse(out) as { settings: SettingLine[] };
  const text = existsSync(to) ? readFileSync(to, 'utf8') : '';
  const sections = parseTollgateFile('tollgate.yaml', text);
  return {
    ...{ settings, text, ...sections },
    told: (setting: string) => settings.filter((line) => line.setting === setting).map(({ outcome }) => outcome),
    model: (id: string) => sections.models.find((one) => one.id === id),
  };
}

const gpt = { override_params: { model: 'gpt-4.1' } };

describe('a config of Portkey', () => {
  it('of one target becomes a model of its name, and one by Portkey’s name of the target', async () => {
    const { providers, model, text, settings } = await importing({
      ...{ provider: 'openai', api_key: 'sk-in-the-file', ...gpt, request_timeout: 30_000 },
    });
    expect(providers).toEqual([]);
    expect(model('main')).toMatchObject({
      deployments: [{ provider: 'openai', upstreamModel: 'gpt-4.1' }],
      prices: knownModels().get('openai/gpt-4.1')?.prices,
      timeouts: { totalMs: 30_000 },
    });
    for (const shown of [text, JSON.stringify(settings)]) expect(shown).not.toContain('sk-in-the-file');
    expect(settings.find(({ setting }) => setting === 'api_key')?.note).toContain('OPENAI_API_KEY');
  });

  it('that names a model of its catalog and nothing else leads to that', async () => {
    const { model, told } = await importing({
      overrideParams: { model: '@openai-prod/gpt-4.1' },
      requestTimeout: 'long',
    });
    expect(model('main')).toMatchObject({ deployments: [{ provider: 'openai-prod', upstreamModel: 'gpt-4.1' }] });
    expect(told('config.request_timeout')).toEqual(['not carried']);
  });

  it('that falls back asks one model at several places by priority, then other models', async () => {
    const { model, providers } = await importing({
      strategy: { mode: 'fallback', onStatusCodes: [429] },
      targets: [
        { virtual_key: 'openai-a', ...gpt },
        { provider: '@openai-b', ...gpt },
        { virtual_key: 'anthropic-x', overrideParams: { model: 'claude-opus-4-5' } },
        { virtual_key: 'openai-a', override_params: { model: 'gpt-4.1-mini' } },
      ],
    });
    expect(providers.map(({ id, apiKeyEnv }) => [id, apiKeyEnv])).toEqual([
      ['openai-a', ['OPENAI_A_API_KEY']],
      ['openai-b', ['OPENAI_B_API_KEY']],
      ['anthropic-x', ['ANTHROPIC_X_API_KEY']],
    ]);
    expect(model('main')).toMatchObject({
      deployments: [
        { provider: 'openai-a', priority: 0 },
        { provider: 'openai-b', priority: 1 },
      ],
      fallbacks: ['@anthropic-x/claude-opus-4-5', '@openai-a/gpt-4.1-mini'],
    });
    expect(model('@anthropic-x/claude-opus-4-5')).toMatchObject({
      deployments: [{ provider: 'anthropic-x', upstreamModel: 'claude-opus-4-5' }],
    });
  });

  it('that shares callers out does so by weight, and by the same weights in what each falls back to', async () => {
    const { model, told } = await importing({
      strategy: { mode: 'loadbalance' },
      targets: [
        { virtual_key: 'openai-a', weight: 3, ...gpt },
        {
          ...{ strategy: { mode: 'fallback' }, weight: 1 },
          targets: [
            { virtual_key: 'openai-b', ...gpt },
            { virtual_key: 'openai-c', ...gpt },
          ],
        },
      ],
    });
    expect(model('main')?.deployments).toEqual([
      { provider: 'openai-a', upstreamModel: 'gpt-4.1', weight: 3, priority: 0 },
      { provider: 'openai-b', upstreamModel: 'gpt-4.1', weight: 1, priority: 0 },
      { provider: 'openai-c', upstreamModel: 'gpt-4.1', weight: 1, priority: 1 },
    ]);
    expect(told('strategy (loadbalance of fallbacks)')).toEqual(['changed']);
  });

  it('that shares callers out among different models has the first answer, and says so', async () => {
    const { model, told } = await importing({
      strategy: { mode: 'loadbalance' },
      targets: [
        { virtual_key: 'openai-a', weight: 0.2, ...gpt },
        { virtual_key: 'anthropic-x', weight: 0.8, override_params: { model: 'claude-opus-4-5' } },
      ],
    });
    expect(model('main')).toMatchObject({
      deployments: [{ provider: 'anthropic-x', upstreamModel: 'claude-opus-4-5' }],
      fallbacks: ['@openai-a/gpt-4.1'],
    });
    expect(told('strategy (loadbalance of models)')).toEqual(['changed']);
  });

  it('that names no model becomes one for each that callers ask for', async () => {
    const config = { targets: [{ virtual_key: 'openai-a' }], strategy: { mode: 'single' } };
    const { model, models } = await importing(config, ' --model gpt-4.1 gpt-4.1-mini');
    expect(models.map(({ id }) => id)).toEqual([
      '@openai-a/gpt-4.1',
      'main/gpt-4.1',
      '@openai-a/gpt-4.1-mini',
      'main/gpt-4.1-mini',
    ]);
    expect(model('main/gpt-4.1-mini')).toMatchObject({ deployments: [{ upstreamModel: 'gpt-4.1-mini' }] });
    rmSync(join(folder, 'tollgate.yaml'));
    expect((await importing(config)).told('config main')).toEqual(['not carried']);
  });

  it('in clouds and of one’s own is asked at its addresses', async () => {
    const { providers, told, settings } = await importing({
      strategy: { mode: 'fallback' },
      targets: [
        { provider: 'azure-openai', resource_name: 'eu', deployment_id: 'prod', api_key: 'k' },
        {
          provider: 'vertex-ai',
          vertex_project_id: 'acme',
          vertex_region: 'eu-x',
          override_params: { model: 'gemini-2.5-pro' },
        },
        {
          provider: 'vertex-ai',
          vertex_project_id: 'acme',
          vertex_region: 'eu-x',
          override_params: { model: 'anthropic.claude-opus-4-5' },
        },
        { provider: 'bedrock', aws_region: 'eu-west-1', override_params: { model: 'us.x' } },
        { provider: 'openai', custom_host: 'http://gpu:8000/v1/', override_params: { model: 'llama' } },
        { virtual_key: 'azure-openai-us', override_params: { model: 'gpt-4.1' } },
        { virtual_key: 'nobody-knows', override_params: { model: 'x' } },
        { provider: 'stability-ai', override_params: { model: 'x' } },
      ],
    });
    const vertex = 'https://eu-x-aiplatform.googleapis.com/v1/projects/acme/locations/eu-x/publishers';
    expect(providers.map(({ id, baseUrl }) => [id, baseUrl])).toEqual([
      ['azure', 'https://eu.openai.azure.com/openai/v1'],
      ['vertex', `${vertex}/google`],
      ['vertex-anthropic', `${vertex}/anthropic/models`],
      ['bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com'],
      ['openai-compatible', 'http://gpu:8000/v1'],
      ['azure-openai-us', 'https://{resource}.openai.azure.com/openai/v1'],
    ]);
    expect(told('address of azure-openai-us')).toEqual(['not carried']);
    expect(settings.find(({ setting }) => setting === 'virtual_key nobody-knows')?.note).toContain(
      '--provider nobody-knows=',
    );
    expect(told('provider stability-ai')).toEqual(['not carried']);
  });

  it('takes whose a model is of its name, where its target does not say it', async () => {
    const { model, told } = await importing({
      strategy: { mode: 'fallback' },
      targets: [
        { override_params: { model: '@groq-rag/llama-3.3-70b-versatile' } },
        { override_params: { model: '@spare/openai/gpt-oss-20b' } },
      ],
    });
    expect(model('@groq-rag/llama-3.3-70b-versatile')).toMatchObject({
      deployments: [{ provider: 'groq-rag', upstreamModel: 'llama-3.3-70b-versatile' }],
    });
    expect(told('virtual_key spare')).toEqual(['not carried']);
  });

  it('as the API answers it has its slug, in either form of its config', async () => {
    for (const config of [{ virtual_key: 'team', ...gpt }, JSON.stringify({ virtual_key: 'team', ...gpt })]) {
      rmSync(join(folder, 'tollgate.yaml'), { force: true });
      const { model, told } = await importing(
        { success: true, data: { slug: 'pc-a-1', config } },
        ' --provider team=openai',
      );
      expect(model('pc-a-1')).toMatchObject({ deployments: [{ provider: 'team' }] });
      expect(told('virtual_key team')).toEqual([]);
    }
  });

  it('tells what becomes of every other setting', async () => {
    const { told } = await importing({
      ...{ strategy: { mode: 'conditional', conditions: [{}], default: 'b' }, cache: { mode: 'semantic' }, unheard: 1 },
      ...{
        retry: { attempts: 5 },
        input_guardrails: ['x'],
        forward_headers: ['a'],
        cb_config: { failure_threshold: 5 },
      },
      targets: [
        { name: 'a', virtual_key: 'anthropic-x', override_params: { model: 'claude-opus-4-5' } },
        { name: 'b', virtual_key: 'openai-a', override_params: { model: 'gpt-4.1', temperature: 0 } },
      ],
    });
    for (const [setting, outcome] of [
      ['strategy (conditional)', 'not carried'],
      ['cache.semantic', 'not carried'],
      ['retry', 'changed'],
      ['input_guardrails', 'not carried'],
      ['cb_config', 'not carried'],
      ['forward_headers', 'not carried'],
      ['override_params.temperature', 'not carried'],
      ['unheard', 'not carried'],
      ['config', 'carried'],
    ] as const)
      expect([setting, told(setting)]).toEqual([setting, [outcome]]);
  });

  it.each(['[]', '{"a": 1}', '{"retry": {"attempts": 1}}', '{"targets": 1}'])(
    'that is none is refused: %s',
    async (text) => {
      const from = join(folder, 'x.json');
      writeFileSync(from, text);
      await expect(ran(`import portkey ${from} --dry-run`, [])).rejects.toThrow('is no config of Portkey');
    },
  );

  it('needs to know whose key is meant', async () => {
    await expect(importing({ virtual_key: 'a' }, ' --provider a')).rejects.toThrow('<slug>=<provider>');
  });
});
