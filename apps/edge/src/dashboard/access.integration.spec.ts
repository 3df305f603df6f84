import { accountRole } from '@tollgate/contracts/accounts';
import { readFileSync } from 'node:fs';
import { rolesFile, askers, routeName, type Asker } from '../roles/roles-page';
import { Browser } from '../testing/browser';
import { EdgeRig } from '../testing/edge-rig';
import { dashboardRoutes } from './dashboard-routes';
import type { DashboardRoute } from './route';

let rig: EdgeRig;
let administrator: Browser;
const browsers = new Map<Asker, Browser>();
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'key-1', accountId: 'account-1' });
  const visitor = new Browser(rig.url);
  await visitor.visit();
  browsers.set('nobody', visitor);
  administrator = await Browser.withSession(rig.url, rig.people.open('administrator', 'account-9').token);
  browsers.set('gateway', administrator);
  for (const role of accountRole.options)
    browsers.set(role, await Browser.withSession(rig.url, rig.people.open('user', 'account-1', role).token));
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
    'POST /api/auth/second-factor',
    'POST /api/auth/passkey/begin',
    'POST /api/auth/passkey',
    'GET /api/auth/oidc',
    'GET /api/auth/oidc/callback',
    'GET /api/catalog',
    'POST /api/auth/invitation',
    'POST /api/auth/join',
  ]);
});

/** Who gets to each route, as docs/roles.md tells people; it must tell of every route. */
const told = [...readFileSync(rolesFile, 'utf8').matchAll(/^\| `([A-Z]+ \/[^`]+)` *\|(.*)\|$/gm)].map(
  ([, name = '', cells = '']) => ({ name, cells: cells.split('|').map((cell) => cell.trim()) }),
);
const byName = new Map(table);

it('is told as a whole: every route stands in docs/roles.md once, with everybody who may ask', () => {
  expect(told.map(({ name }) => name)).toEqual(dashboardRoutes.map(routeName));
  for (const { cells } of told) {
    expect(cells).toHaveLength(askers.length);
    for (const cell of cells) expect(['yes', '–']).toContain(cell);
  }
  const forAll = told.filter(({ cells }) => !cells.includes('–')).map(({ name }) => name);
  expect(forAll).toEqual(table.filter(([, { access }]) => access === 'anyone').map(([name]) => name));
});

describe.each(told.filter(({ cells }) => cells.includes('–')))('$name', ({ name, cells }) => {
  it.each(askers.map((asker, index): [Asker, boolean] => [asker, cells[index] === 'yes']))(
    'asked by %s: let in %s',
    async (asker, mayAsk) => {
      const browser = browsers.get(asker);
      const route = byName.get(name);
      if (!browser || !route) throw new Error(`${name} is no route, or nobody is ${asker}`);
      const before = rig.people.asked.length;
      const response = await ask(browser, route);
      if (mayAsk) return expect([401, 403]).not.toContain(response.status);
      const isVisitor = asker === 'nobody';
      expect(response.status).toBe(isVisitor ? 401 : 403);
      const type = isVisitor ? 'authentication_error' : 'permission_error';
      const message = isVisitor ? /sign in/ : /[Aa]sk (?:one of them|an owner or an administrator)/;
      expect(await response.json()).toMatchObject({ error: { type, message: expect.stringMatching(message) } });
      // Nothing was asked of accounts but who this is.
      const asked = rig.people.asked.slice(before).map(({ subject }) => subject);
      expect(asked).toEqual(isVisitor ? [] : ['accounts.people.session']);
    },
  );
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
