import { ran } from '../ran.fixture';

it('renames a project, and says what went with it', async () => {
  const { asked, out } = await ran('accounts rename-project ann@example.com web site', [
    { project: 'site', keys: 2, budgets: 1, ownKeys: 0 },
  ]);
  expect(asked).toMatchObject([
    { subject: 'accounts.keys.rename-project', account: 'ann@example.com', project: 'web', name: 'site' },
  ]);
  expect(out).toBe('The project web is called site now (keys: 2, budgets: 1, own keys: 0).');
});
