import { Browser } from '../testing/browser';
import { EdgeRig } from '../testing/edge-rig';
import { dashboardRoutes } from './dashboard-routes';
import type { DashboardRoute } from './route';

let rig: EdgeRig;
let visitor: Browser;
let user: Browser;
let administrator: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'key-1', accountId: 'account-1' });
  visitor = new Browser(rig.url);
  await visitor.visit();
  user = await Browser.withSession(rig.url, rig.people.open('user').token);
  administrator = await Browser.withSession(rig.url, rig.people.open('administrator', 'account-9').token);
});
afterAll(() => rig.stop());

const ask = (browser: Browser, { method, path }: DashboardRoute): Promise<Response> =>
  browser.ask(method, path.replace(/:\w+/g, '1'), method === 'GET' ? undefined : {});

/** The table is the list of routes itself: a route that is added is tested. */
const table = dashboardRoutes.map((route): [string, DashboardRoute] => [`${route.method} ${route.path}`, route]);
const guarded = table.filter(([, { access }]) => access !== 'anyone');

it('asks for an administrator on every address below /api/admin, and nowhere for nobody by mistake', () => {
  for (const [name, { access, path }] of table)
    expect([name, access === 'administrator']).toEqual([name, path.startsWith('/api/admin/')]);
  const open = table.filter(([, { access }]) => access === 'anyone').map(([name]) => name);
  expect(open).toEqual([
    'GET /api/auth/me',
    'POST /api/auth/sign-up',
    'POST /api/auth/sign-in',
    'POST /api/auth/sign-out',
    'POST /api/auth/first-administrator',
    'POST /api/auth/forgot',
    'POST /api/auth/reset',
    'POST /api/auth/verify-email',
    'GET /api/auth/oidc',
    'GET /api/auth/oidc/callback',
    'GET /api/catalog',
  ]);
});

it.each(guarded)('%s refuses a visitor', async (_name, route) => {
  const response = await ask(visitor, route);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { type: 'authentication_error' } });
});

it.each(guarded.filter(([, { access }]) => access === 'administrator'))('%s refuses a user', async (_name, route) => {
  const asked = rig.people.asked.length;
  const response = await ask(user, route);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ error: { type: 'permission_error' } });
  // Nothing was asked of accounts but who this is.
  expect(rig.people.asked.slice(asked).map(({ subject }) => subject)).toEqual(['accounts.people.session']);
});

it.each(guarded)('%s lets an administrator in', async (_name, route) => {
  expect([401, 403]).not.toContain((await ask(administrator, route)).status);
});

it.each(guarded.filter(([, { method }]) => method !== 'GET'))(
  '%s refuses an administrator whose browser is led there by another site',
  async (_name, { method, path }) => {
    const there = path.replace(/:\w+/g, '1');
    const asked = rig.people.asked.length;
    expect((await administrator.ask(method, there, {}, { 'x-csrf-token': undefined })).status).toBe(403);
    expect((await administrator.ask(method, there, {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect(rig.people.asked).toHaveLength(asked);
  },
);

it.each(table.filter(([, { method }]) => method === 'GET'))(
  '%s answers no HEAD, which asks nothing of anybody',
  async (_name, route) => {
    const asked = rig.people.asked.length;
    const response = await administrator.ask('HEAD', route.path.replace(/:\w+/g, '1'));
    expect([404, 405]).toContain(response.status);
    expect(response.headers.get('allow') ?? '').not.toContain('HEAD');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(rig.people.asked).toHaveLength(asked);
  },
);
