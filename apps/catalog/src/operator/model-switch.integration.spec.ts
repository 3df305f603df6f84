import { createCatalogDatabase } from '@tollgate/database/catalog';
import { startMigratedPostgres } from '@tollgate/database/testing';
import { createLogger } from '@tollgate/observability';
import { type PostgresServer } from '@tollgate/testing';
import { DeploymentHolds } from './deployment-holds';
import { ModelSwitch } from './model-switch';
import { OperatorChoices } from './operator-choices';

describe('the switch of models', () => {
  let postgres: PostgresServer;
  let database: ReturnType<typeof createCatalogDatabase>;
  beforeAll(async () => {
    postgres = await startMigratedPostgres();
    database = createCatalogDatabase(postgres.url);
  });
  afterAll(async () => {
    await database.$disconnect();
    await postgres.stop();
  });

  const choices = () => new OperatorChoices(database, createLogger('catalog', 'silent'));

  it('holds for every instance, once each, until it is turned back', async () => {
    let changes = 0;
    const here = choices();
    const elsewhere = choices();
    const kinds: Record<string, 'discovered' | null> = { 'no/such': null, 'a/new': 'discovered' };
    const models = new ModelSwitch(database, {
      kindOf: (model) => (model in kinds ? (kinds[model] ?? null) : 'own'),
      look: async () => {
        if (await here.look()) changes++;
      },
    });
    await models.set('a/one', false);
    await models.set('a/one', false);
    await models.set('a/two', false);
    expect([...here.disabled]).toEqual(['a/one', 'a/two']);
    await elsewhere.look();
    expect([...elsewhere.disabled]).toEqual(['a/one', 'a/two']);
    await models.set('a/one', true);
    expect([...here.disabled]).toEqual(['a/two']);
    expect(changes).toBeGreaterThanOrEqual(3);
    expect([...here.approved]).toEqual([]);
    await models.set('a/new', true);
    expect([...here.approved]).toEqual(['a/new']);
    await models.set('a/new', false);
    expect([...here.disabled]).toContain('a/new');
    await expect(models.set('no/such', false)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('holds deployments for every instance, with who, why and how long, until they are opened', async () => {
    const here = choices();
    const elsewhere = choices();
    const holds = new DeploymentHolds(database, {
      hasDeployment: (deployment) => deployment !== 'no/such',
      look: async () => void (await here.look()),
    });
    const asked = { deployment: 'a/one@a', by: 'cli:ada' };
    const until = (await holds.set({ ...asked, state: 'draining', reason: 'slow', forS: 60 }))?.until ?? 0;
    expect(here.held).toMatchObject([{ ...asked, state: 'draining', reason: 'slow', until, since: until - 60_000 }]);
    await holds.set({ ...asked, state: 'closed' });
    await elsewhere.look();
    expect(elsewhere.held).toMatchObject([{ ...asked, state: 'closed', reason: null, until: null }]);
    await expect(holds.set({ ...asked, deployment: 'no/such', state: 'closed' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await holds.set({ ...asked, state: 'open' })).toBeNull();
    expect(here.held).toEqual([]);
  });
});
