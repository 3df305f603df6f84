import { EnvironmentSecrets } from '../credentials/environment-secrets';
import { ProviderCredentials } from '../credentials/provider-credentials';
import { aModel, aProvider, aSnapshot } from '../testing/fixtures';
import { Router } from './router';

/** A router, and how often it made its routes. */
function aRouter(environment: NodeJS.ProcessEnv) {
  const retain = jest.fn();
  const credentials = new ProviderCredentials('off', false, new EnvironmentSecrets(environment));
  const others = { retain: () => undefined };
  return { router: new Router(credentials, null, { retain }, others, others), made: () => retain.mock.calls.length };
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

  it('are made anew of another catalog, whatever its revision, and of each that tells no digest', () => {
    const { router, made } = aRouter({ ACME_API_KEY: 'first' });
    const { digest: _, ...untold } = told;
    for (const snapshot of [told, { ...told, digest: 'b' }, untold, untold]) router.use(snapshot);
    expect(made()).toBe(4);
  });
});
