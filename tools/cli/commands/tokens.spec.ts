import { ran } from '../ran.fixture';

const adminToken = {
  ...{ id: 't', name: 'ci', display: 'tg_adm_…', scopes: ['keys:read'], createdBy: 'cli', createdAt: 1 },
  ...{ expiresAt: null, revokedAt: null, lastUsedAt: null },
};
const created = { token: 'tg_adm_x', adminToken };

it('tokens create makes one that never ends where that is said, and one for 90 days where nothing is', async () => {
  const never = await ran('tokens create --name ci --scopes keys:read --expires never', [created]);
  expect(never.asked).toMatchObject([{ subject: 'accounts.tokens.create', expiresAt: null }]);
  const usual = await ran('tokens create --name ci --scopes keys:read', [created]);
  expect(usual.asked).toMatchObject([{ expiresAt: expect.any(Number) }]);
});
