import { adminScopes } from '@tollgate/contracts/accounts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardRoutes } from '../dashboard/dashboard-routes';
import { routeName } from '../roles/roles-page';
import { servedRoutes } from './served-routes';

/**
 * Why an operation of the dashboard has none here, by what its path begins with; docs/admin-api.md says the
 * same.
 */
const withoutTwin: Readonly<Record<string, string>> = {
  '/api/auth/': 'A sign-in, a session, a password and a second factor are of the person who is there.',
  '/api/playground/': 'The playground is a request of generation, which takes an API key: `/v1`.',
};

/**
 * What of the admin API does what an operation of the dashboard does, whoever asks there: an administrator of
 * the gateway, or somebody for their own account. Where there are several, they do it together.
 */
const twins: Readonly<Record<string, readonly string[]>> = {
  'GET /api/catalog': ['GET /models'],
  'GET /api/keys': ['GET /keys', 'GET /usage/series'],
  'POST /api/keys': ['POST /keys'],
  'PATCH /api/keys/:id': ['PATCH /keys/:keyId'],
  'POST /api/keys/:id/rotate': ['POST /keys/:keyId/rotate'],
  'POST /api/keys/:id/revoke': ['POST /keys/:keyId/revoke'],
  'GET /api/budgets': ['GET /budgets', 'GET /budgets/states'],
  'GET /api/budgets/:id': [
    ...['GET /budgets/:budgetId', 'GET /budgets/states', 'GET /budgets/:budgetId/names'],
    ...['GET /budgets/:budgetId/windows', 'GET /budgets/:budgetId/notices'],
  ],
  'GET /api/people': ['GET /accounts/:account/people'],
  'POST /api/people/invitations': ['POST /accounts/:account/invitations'],
  'POST /api/people/invitations/:id/withdraw': ['DELETE /accounts/:account/invitations/:invitationId'],
  'PATCH /api/people/:id': ['PATCH /accounts/:account/people/:personId'],
  'POST /api/people/:id/remove': ['DELETE /accounts/:account/people/:personId'],
  'POST /api/people/:id/reset-second-factor': ['DELETE /accounts/:account/people/:personId/second-factor'],
  'GET /api/own-keys': ['GET /accounts/:account/own-keys'],
  'POST /api/own-keys/:provider': [
    'PUT /accounts/:account/own-keys/:provider',
    'PUT /accounts/:account/projects/:project/own-keys/:provider',
  ],
  'POST /api/own-keys/:provider/fall-back': [
    'PATCH /accounts/:account/own-keys/:provider',
    'PATCH /accounts/:account/projects/:project/own-keys/:provider',
  ],
  'POST /api/own-keys/:provider/remove': [
    'DELETE /accounts/:account/own-keys/:provider',
    'DELETE /accounts/:account/projects/:project/own-keys/:provider',
  ],
  'GET /api/reports/series': ['GET /usage/series'],
  'GET /api/reports/slices': ['GET /usage/slices', 'GET /usage/projects'],
  'GET /api/reports/requests': ['GET /usage/requests'],
  'GET /api/reports/failures': ['GET /usage/failures'],
  'GET /api/reports/refusals': ['GET /usage/refusals'],
  'GET /api/reports/requests/:id/charge': ['GET /usage/requests/:id/charge'],
  'GET /api/reports/export': ['GET /usage/export'],
  'GET /api/reports/statement': ['GET /usage/statement'],
  'GET /api/content-log/:id': ['GET /texts/:id'],
  'POST /api/content-log/:id/remove': ['DELETE /texts/:id'],
  'POST /api/keys/:id/content-log/remove': ['DELETE /keys/:keyId/texts'],
  'GET /api/admin/accounts': ['GET /accounts'],
  'POST /api/admin/accounts/:id/status': ['POST /accounts/:account/status'],
  'POST /api/admin/accounts/:id/reset-links': ['POST /accounts/:account/reset-links'],
  'POST /api/admin/accounts/:id/role': ['POST /accounts/:account/role'],
  'GET /api/admin/accounts/:id/people': ['GET /accounts/:account/people'],
  'PATCH /api/admin/accounts/:id/people/:personId': ['PATCH /accounts/:account/people/:personId'],
  'POST /api/admin/accounts/:id/people/:personId/remove': ['DELETE /accounts/:account/people/:personId'],
  'POST /api/admin/accounts/:id/people/:personId/reset-second-factor': [
    'DELETE /accounts/:account/people/:personId/second-factor',
  ],
  'GET /api/admin/keys': ['GET /keys', 'GET /keys/asleep'],
  'GET /api/admin/keys/attention': ['GET /keys/attention'],
  'GET /api/admin/keys/:id': ['GET /keys/:keyId', 'GET /usage/series'],
  'POST /api/admin/keys': ['POST /keys'],
  'PATCH /api/admin/keys/:id': ['PATCH /keys/:keyId'],
  'PATCH /api/admin/accounts/:id/projects/:project': ['PATCH /accounts/:account/projects/:project'],
  'POST /api/admin/keys/:id/revoke': ['POST /keys/:keyId/revoke'],
  'GET /api/admin/plans': ['GET /plans'],
  'GET /api/admin/plans/settings': ['GET /config/plans'],
  'POST /api/admin/plans': ['PUT /plans/:plan'],
  'POST /api/admin/plans/remove': ['DELETE /plans/:plan'],
  'GET /api/admin/prices': ['GET /prices'],
  'GET /api/admin/prices/history': ['GET /prices/history'],
  'POST /api/admin/prices': ['POST /prices'],
  'POST /api/admin/prices/withdraw': ['POST /prices/:id/withdraw'],
  'GET /api/admin/price-factors': ['GET /price-factors'],
  'GET /api/admin/price-factors/history': ['GET /price-factors/history'],
  'POST /api/admin/price-factors': ['POST /price-factors'],
  'POST /api/admin/price-factors/withdraw': ['POST /price-factors/:id/withdraw'],
  'GET /api/admin/budgets': ['GET /budgets', 'GET /budgets/states'],
  'GET /api/admin/budgets/near': ['GET /budgets/near'],
  'GET /api/admin/budgets/:id': [
    ...['GET /budgets/:budgetId', 'GET /budgets/states', 'GET /budgets/:budgetId/names'],
    ...['GET /budgets/:budgetId/windows', 'GET /budgets/:budgetId/notices'],
  ],
  'POST /api/admin/budgets': ['POST /budgets'],
  'PATCH /api/admin/budgets/:id': ['PATCH /budgets/:budgetId'],
  'POST /api/admin/budgets/:id/remove': ['DELETE /budgets/:budgetId'],
  'POST /api/admin/content-log/:id/read': ['GET /texts/:id'],
  'GET /api/admin/providers': ['GET /providers'],
  'POST /api/admin/providers/check': ['POST /providers/check'],
  'POST /api/admin/providers/look': ['POST /providers/look'],
  'GET /api/admin/providers/live': ['GET /providers/live'],
  'PATCH /api/admin/providers/:provider': ['PATCH /providers/:provider'],
  'POST /api/admin/providers/:provider/remove': ['DELETE /providers/:provider'],
  'POST /api/admin/providers/:provider/keys/:name': ['PUT /providers/:provider/keys/:name'],
  'POST /api/admin/providers/:provider/keys/:name/remove': ['DELETE /providers/:provider/keys/:name'],
  'GET /api/admin/models': ['GET /models'],
  'POST /api/admin/models/switch': ['POST /models/switch'],
  'GET /api/admin/deployments': ['GET /deployments'],
  'POST /api/admin/deployments/hold': ['POST /deployments/hold'],
  'GET /api/admin/incidents': ['GET /incidents'],
  'GET /api/admin/models/settings': ['GET /config/models'],
  'POST /api/admin/models': ['PATCH /models'],
  'POST /api/admin/models/remove': ['POST /models/remove'],
  'GET /api/admin/config': ['GET /config'],
  'POST /api/admin/config': ['PUT /config'],
  'GET /api/admin/config/history': ['GET /config/history'],
  'GET /api/admin/config/history/:version': ['GET /config/history/:version'],
  'POST /api/admin/config/rollback': ['POST /config/rollback'],
  'GET /api/admin/guardrails': ['GET /config/guardrails'],
  'GET /api/admin/guardrails/settings': ['GET /config/guardrails'],
  'POST /api/admin/guardrails': ['PUT /guardrails'],
  'POST /api/admin/guardrails/remove': ['POST /guardrails/remove'],
  'POST /api/admin/guardrails/try': ['POST /guardrails/try'],
  'GET /api/admin/bills': ['GET /bills'],
  'GET /api/admin/bills/requests': ['GET /bills/requests'],
  'GET /api/admin/audit': ['GET /audit'],
  'GET /api/admin/audit/export': ['GET /audit/export'],
  'GET /api/admin/dead-letters': ['GET /dead-letters'],
  'GET /api/admin/dead-letters/:sequence': ['GET /dead-letters/:sequence'],
  'POST /api/admin/dead-letters/:sequence/replay': ['POST /dead-letters/:sequence/replay'],
  'POST /api/admin/dead-letters/:sequence/drop': ['DELETE /dead-letters/:sequence'],
  'GET /api/admin/webhooks': ['GET /webhooks'],
  'GET /api/admin/webhooks/deliveries': ['GET /webhooks/deliveries'],
  'POST /api/admin/webhooks': ['POST /webhooks'],
  'PATCH /api/admin/webhooks/:id': ['PATCH /webhooks/:webhookId'],
  'POST /api/admin/webhooks/:id/test': ['POST /webhooks/:webhookId/test'],
  'POST /api/admin/webhooks/:id/remove': ['DELETE /webhooks/:webhookId'],
  'GET /api/admin/status': ['GET /status', 'GET /instances'],
  'GET /api/admin/instances': ['GET /instances'],
  'GET /api/admin/first-day': ['GET /first-day'],
};

const begins = Object.keys(withoutTwin);
const names = dashboardRoutes
  .filter(({ path }) => !begins.some((begin) => path.startsWith(begin)))
  .map((route) => routeName(route));

it('does everything that the dashboard does, but for what has a reason: a new route there comes with one here', () => {
  expect(names.toSorted()).toEqual(Object.keys(twins).toSorted());
});

it('has the routes that do so', () => {
  const served = new Set(servedRoutes.map(({ method, path }) => `${method} ${path}`));
  const missing = Object.values(twins)
    .flat()
    .filter((name) => !served.has(name));
  expect(missing).toEqual([]);
});

it('says in docs/admin-api.md why something of the dashboard is not here, and has no reason for nothing', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/admin-api.md'), 'utf8');
  for (const [begin, reason] of Object.entries(withoutTwin)) {
    expect(dashboardRoutes.some(({ path }) => path.startsWith(begin))).toBe(true);
    expect(page).toContain(reason);
  }
});

it('tells every scope in docs/admin-api.md', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/admin-api.md'), 'utf8');
  const untold = adminScopes.filter(
    (scope) => !page.includes(scope) && !page.includes(`…:${scope.split(':')[1] ?? ''}`),
  );
  expect(untold).toEqual([]);
});
