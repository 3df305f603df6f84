import { fromBifrostConfig, bifrostConfig } from './bifrost-config';
import { builtInProviders, knownModels } from './known-models';
import { SettingsReport } from './settings-report';

const known = knownModels();

function importing(config: object) {
  const report = new SettingsReport();
  const context = { builtIn: builtInProviders, known, environment: {}, plan: 'enterprise', nowMs: 0, report };
  return { ...fromBifrostConfig(bifrostConfig.parse(config), context).sections, lines: report.lines };
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

  it('that lists no model is told, and what an empty list meant before', () => {
    const providers = { openai: { keys: [{ value: 'env.OPENAI_API_KEY', models: [] }] } };
    const empty = { setting: 'providers.openai.keys.models (empty)', outcome: 'not carried' };
    expect(importing({ providers }).lines).toContainEqual(expect.objectContaining(empty));
    expect(importing({ version: 1, providers }).lines).not.toContainEqual(expect.objectContaining(empty));
  });
});
