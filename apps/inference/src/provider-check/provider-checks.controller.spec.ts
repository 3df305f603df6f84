import type { ModelDiscovery } from '../discovery/model-discovery';
import type { Router } from '../routing/router';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { ProviderChecksController } from './provider-checks.controller';

/** A controller over providers that the sandbox stands in for, and what is there now. */
function setUp(...ids: string[]) {
  const providers = ids.map((id) => aProvider({ id, name: `The ${id}`, apiKeyEnv: [`${id.toUpperCase()}_KEY`] }));
  const endpoints = providers.map((one) => providerEndpoint(one, one.baseUrl, { kind: 'none' }, null, true));
  const definitionOf = (wanted: string) => providers.find(({ id }) => id === wanted);
  const faults = new Map<string, string>();
  const router = { endpoints, faults, modelsAt: () => [], definitionOf } as unknown as Router;
  const controller = new ProviderChecksController(router, {} as ModelDiscovery);
  const check = (provider: string | null) => controller.check({ provider, token: false });
  return { endpoints, faults, check };
}

it('tells of all that are there when their turn comes, whatever became of another', async () => {
  const { endpoints, check } = setUp('acme', 'gone');
  const told = check(null);
  endpoints.pop();
  expect((await told).checks).toMatchObject([{ provider: 'acme', ok: true }]);
});

it('says of one that cannot be reached what it needs', async () => {
  const { endpoints, faults, check } = setUp('acme');
  const told = check('acme');
  endpoints.pop();
  const words = 'Inference cannot reach The acme: it needs ACME_KEY.';
  await expect(told).rejects.toThrow(words);
  await expect(check('acme')).rejects.toThrow(words);
  faults.set('acme', 'Its key (main) cannot be opened.');
  await expect(check('acme')).rejects.toThrow('cannot reach The acme: Its key (main) cannot be opened.');
  await expect(check('nobody')).rejects.toThrow('The catalog has no provider nobody.');
});
