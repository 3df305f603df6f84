import { bifrostFile, fromBifrostConfig } from './bifrost-config';
import { builtInProviders, knownModels } from './known-models';
import { SettingsReport } from './settings-report';
import { sift } from './sift';

const known = knownModels();

function importing(config: object) {
  const report = new SettingsReport();
  const context = { builtIn: builtInProviders, known, environment: {}, plan: 'enterprise', nowMs: 0, report };
  const read = sift(bifrostFile.schema, config, report, bifrostFile.goesWith);
  return { ...fromBifrostConfig(read, context).sections, lines: report.lines };
}

describe('a key of a cloud in Bifrost', () => {
  it.each(['bedrock', 'vertex', 'azure'])('of %s has the names of its deployments', (provider) => {
    const own = { region: 'us-east-1', project_id: 'p', endpoint: 'https://eu.openai.azure.com' };
    const { models, lines } = importing({
      providers: {
        [provider]: {
          keys: [
            { models: ['haiku'], [`${provider}_key_config`]: { ...own, deployments: { haiku: 'claude-haiku-4-5' } } },
          ],
        },
      },
    });
    expect(models).toMatchObject([{ id: `${provider}/haiku`, deployments: [{ upstreamModel: 'claude-haiku-4-5' }] }]);
    const setting = `providers.keys.${provider}_key_config.deployments`;
    expect(lines).toContainEqual(expect.objectContaining({ setting, outcome: 'carried' }));
  });

  it.each([
    ['a list', []],
    ['an empty name', { haiku: '' }],
    ['another form', { haiku: { arn: 'x' } }],
  ])('whose deployments are %s has none, which is told', (_what, deployments) => {
    const keys = [{ models: ['haiku'], bedrock_key_config: { region: 'us-east-1', deployments } }];
    const { models, lines } = importing({ providers: { bedrock: { keys } } });
    expect(models).toMatchObject([{ id: 'bedrock/haiku', deployments: [{ upstreamModel: 'haiku' }] }]);
    const left = lines.filter(({ note }) => note.includes('cannot be read'));
    expect(left).toMatchObject([{ setting: expect.stringContaining('bedrock_key_config.deployments') }]);
  });

  it('comes with all that bounds it, or not', () => {
    const odd = { name: 'odd', value: 'env.A', models: ['gpt-4.1'], blacklisted_models: 'gpt-4o', enabled: 'yes' };
    const keys = [odd, { value: 'env.B', models: ['gpt-4.1'], aliases: { mini: 7 } }];
    const { providers, lines } = importing({ providers: { openai: { keys } } });
    expect(providers).toMatchObject([{ apiKeyEnv: 'B' }]);
    const left = lines.filter(({ note }) => note.includes('cannot be read'));
    expect(left.map(({ setting }) => setting)).toEqual(['providers.openai.keys: odd', 'aliases.mini']);
  });

  it.each([
    ['a key of a caller', { virtual_keys: [{ id: 'vk', expires_at: 'soon' }] }, 'governance.virtual_keys: vk'],
    ['a budget', { budgets: [{ id: 'b', max_limit: 'much', reset_duration: '1M' }] }, 'governance'],
  ])('comes without %s that cannot be read', (_what, governance, setting) => {
    const { providers, lines } = importing({ providers: { openai: { keys: [{ models: ['*'] }] } }, governance });
    expect(providers).toHaveLength(1);
    expect(lines.filter(({ note }) => note.includes('cannot be read'))).toMatchObject([{ setting }]);
  });

  it('that lists no model is told, and what an empty list meant before', () => {
    const providers = { openai: { keys: [{ value: 'env.OPENAI_API_KEY', models: [] }] } };
    const empty = { setting: 'providers.openai.keys.models (empty)', outcome: 'not carried' };
    expect(importing({ providers }).lines).toContainEqual(expect.objectContaining(empty));
    expect(importing({ version: 1, providers }).lines).not.toContainEqual(expect.objectContaining(empty));
  });
});
