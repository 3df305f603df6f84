import { EnvironmentSecrets } from '../credentials/environment-secrets';
import { ProviderCredentials } from '../credentials/provider-credentials';
import { aModel, aProvider, aSnapshot } from '../testing/fixtures';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { Router } from './router';

/** A router, how often it made its routes, and what was kept of the addresses that it asked. */
function aRouter(environment: NodeJS.ProcessEnv) {
  const kept: string[][] = [];
  const endpoints = new Set<ProviderEndpoint>();
  const pools = {
    retain: (used: Iterable<ProviderEndpoint>) => {
      const all = [...used];
      kept.push(all.map(({ origin }) => origin));
      for (const endpoint of all) endpoints.add(endpoint);
    },
  };
  const credentials = new ProviderCredentials('off', false, new EnvironmentSecrets(environment));
  const retain = jest.fn();
  const others = { retain };
  const router = new Router(credentials, null, pools, others, others);
  return { router, kept, retain, made: () => endpoints.size };
}

describe('routes', () => {
  const told = { ...aSnapshot([aProvider({ apiKeyEnv: ['ACME_API_KEY'] })], [aModel()]), digest: 'a' };

  it('are not made anew of a catalog that is as it was, but where a secret was replaced', () => {
    const environment: NodeJS.ProcessEnv = { ACME_API_KEY: 'first' };
    const { router, made } = aRouter(environment);
    expect([router.use(told), router.use({ ...told, revision: told.revision + 1 }), made()]).toEqual([true, false, 1]);
    environment['ACME_API_KEY'] = 'second';
    expect([router.use(told), made()]).toEqual([true, 2]);
    expect(router.ownRoutes('acme/one', 'caller')[0]?.endpoint.apiKey).toBe('second');
  });

  it('are made anew where a provider that is asked with keys of accounts alone has another address', () => {
    const placeholders = { region: { env: ['ACME_REGION'], default: 'us' } };
    const acme = aProvider({ baseUrl: 'https://{region}.acme.test/v1', placeholders });
    const environment: NodeJS.ProcessEnv = { ACME_REGION: 'us' };
    const { router, kept } = aRouter(environment);
    const ofAccounts = { ...aSnapshot([acme], [aModel()]), digest: 'a' };
    router.use(ofAccounts);
    environment['ACME_REGION'] = 'eu';
    expect(router.use(ofAccounts)).toBe(false);
    expect(kept).toEqual([['https://us.acme.test'], ['https://eu.acme.test']]);
  });

  it('that are as they were are told each time to what keeps something of places: old ones may come back', () => {
    const { router, kept, retain } = aRouter({ ACME_API_KEY: 'first' });
    router.use(told);
    router.use(told);
    expect([kept, retain.mock.calls.length]).toEqual([[['http://127.0.0.1:9'], ['http://127.0.0.1:9']], 4]);
  });

  it('are made anew of another catalog, whatever its revision, and of each that tells no digest', () => {
    const { router, made } = aRouter({ ACME_API_KEY: 'first' });
    const { digest: _, ...untold } = told;
    for (const snapshot of [told, { ...told, digest: 'b' }, untold, untold]) router.use(snapshot);
    expect(made()).toBe(4);
  });
});
