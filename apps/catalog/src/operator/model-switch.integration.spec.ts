import { createDatabase, migrate } from '@tollgate/database';
import { createLogger } from '@tollgate/observability';
import { startPostgres, type PostgresServer } from '@tollgate/testing';
import { ModelSwitch } from './model-switch';
import { OperatorChoices } from './operator-choices';

describe('the switch of models', () => {
  let postgres: PostgresServer;
  let database: ReturnType<typeof createDatabase<'catalog'>>;
  beforeAll(async () => {
    postgres = await startPostgres();
    await migrate(postgres.url);
    database = createDatabase(postgres.url, 'catalog');
  });
  afterAll(async () => {
    await database.$disconnect();
    await postgres.stop();
  });

  const choices = (onChange: () => void) => new OperatorChoices(database, createLogger('catalog', 'silent'), onChange);

  it('holds for every instance, once each, until it is turned back', async () => {
    let changes = 0;
    const here = choices(() => changes++);
    const elsewhere = choices(() => undefined);
    const models = new ModelSwitch(database, here, (model) => model !== 'no/such');
    await models.set('a/one', false);
    await models.set('a/one', false);
    await models.set('a/two', false);
    expect([...here.disabled]).toEqual(['a/one', 'a/two']);
    await elsewhere.look();
    expect([...elsewhere.disabled]).toEqual(['a/one', 'a/two']);
    await models.set('a/one', true);
    expect([...here.disabled]).toEqual(['a/two']);
    expect(changes).toBeGreaterThanOrEqual(3);
    await expect(models.set('no/such', false)).rejects.toMatchObject({ code: 'not_found' });
  });
});
