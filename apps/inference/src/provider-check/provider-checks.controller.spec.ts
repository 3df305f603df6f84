import type { ProviderCheck } from '@tollgate/contracts/inference';
import type { ModelDiscovery } from '../discovery/model-discovery';
import type { Router } from '../routing/router';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { CheckTurns, ProviderChecksController } from './provider-checks.controller';

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

describe('the turns of looks at a provider', () => {
  const found = (says: string): ProviderCheck => ({ provider: 'home', url: 'https://home.test', ok: true, says });

  /** Looks end, and rests are over, when the test says so. */
  function setUp() {
    const rests: { ms: number; over: () => void }[] = [];
    const turns = new CheckTurns((ms) => new Promise<void>((over) => rests.push({ ms, over })));
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const take = (provider: string, kind: string, says = kind) =>
      turns.take(provider, kind, () => {
        begun.push(`${provider} ${says}`);
        return new Promise((resolve) => ends.push(() => resolve(found(says))));
      });
    /** All that follows by itself has happened. */
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    return { turns, take, begun, ends, rests, settled };
  }

  it('asks a provider for one thing at a time, and leaves it in peace for 5 s in between', async () => {
    const { take, begun, ends, rests, settled } = setUp();
    const models = take('home', 'models');
    const token = take('home', 'token');
    void take('other', 'models');
    await settled();
    expect(begun).toEqual(['home models', 'other models']);
    ends[0]?.();
    expect(await models).toEqual(found('models'));
    await settled();
    expect(begun).toEqual(['home models', 'other models']);
    expect(rests.map(({ ms }) => ms)).toEqual([5_000]);
    rests[0]?.over();
    await settled();
    expect(begun).toEqual(['home models', 'other models', 'home token']);
    ends[2]?.();
    expect(await token).toEqual(found('token'));
  });

  it('tells all who ask while a look waits what it finds, and nobody of one that had begun before', async () => {
    const { take, begun, ends, rests, settled } = setUp();
    const first = take('home', 'models', 'before');
    await settled();
    const later = [take('home', 'models', 'after'), take('home', 'models', 'never asked')];
    ends[0]?.();
    await first;
    await settled();
    rests[0]?.over();
    await settled();
    ends[1]?.();
    expect([await first, ...(await Promise.all(later))]).toEqual([found('before'), found('after'), found('after')]);
    expect(begun).toEqual(['home before', 'home after']);
  });

  it('goes on after a look that failed', async () => {
    const { turns, take, begun, rests, settled } = setUp();
    await expect(turns.take('home', 'models', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    void take('home', 'models', 'again');
    await settled();
    expect(begun).toEqual([]);
    rests[0]?.over();
    await settled();
    expect(begun).toEqual(['home again']);
  });
});
