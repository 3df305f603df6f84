import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Person } from '../prove/web/person';
import type { Names } from './traffic';

const looks = [
  { name: 'light', colorScheme: 'light', width: 1440 },
  { name: 'dark', colorScheme: 'dark', width: 1440 },
  { name: 'phone', colorScheme: 'light', width: 390 },
] as const;

const model = 'openai/gpt-5.4-mini';

/** Pages for everybody, by the names of their pictures. */
const visitorPaths: Readonly<Record<string, string>> = {
  landing: '/',
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  forgot: '/forgot',
  docs: '/docs',
  'docs-errors': '/docs/errors',
  'docs-reference': '/docs/reference',
  'no-page': '/nowhere',
};

/** Pages behind the sign-in. */
const pathsOf = ({
  accountId,
  keyId,
  requestId,
  budgetId,
  dividedBudgetId,
}: Names): Readonly<Record<string, string>> => ({
  overview: '/overview?range=hour&by=model',
  statement: '/statement',
  keys: '/keys',
  project: '/projects/search',
  key: `/keys/${keyId}?range=hour`,
  budgets: '/budgets',
  requests: '/requests?range=hour',
  'requests-by-cause': '/requests?range=hour&show=failures',
  'requests-refused': '/requests?range=hour&show=refused',
  'request-drawer': `/requests?range=hour&request=${requestId}`,
  request: `/requests/${requestId}`,
  models: '/models',
  model: `/models/${model}?range=hour`,
  compare: `/compare?models=${model}+anthropic/claude-sonnet-5+mistral/mistral-large-4`,
  playground: `/playground?model=${encodeURIComponent(model)}`,
  'playground-three':
    '/playground?model=openai%2Fgpt-5.4-mini&second=mistral%2Fmistral-large-4&third=google%2Fgemini-3.8-flash',
  people: '/people',
  settings: '/settings',
  'admin-home': '/admin',
  'admin-accounts': '/admin/accounts',
  'admin-account': `/admin/accounts/${accountId}?range=hour`,
  'admin-account-statement': `/admin/accounts/${accountId}/statement`,
  'admin-account-project': `/admin/accounts/${accountId}/projects/search`,
  'admin-keys': '/admin/keys',
  'admin-key': `/admin/keys/${keyId}?range=hour`,
  'admin-budgets': '/admin/budgets',
  'admin-budget': `/admin/budgets/${budgetId}`,
  'admin-budget-of-each': `/admin/budgets/${dividedBudgetId}`,
  'admin-fleet': '/admin/fleet?range=hour',
  'admin-requests': '/admin/requests?range=hour',
  'admin-providers': '/admin/providers',
  'admin-provider': '/admin/providers/openai?range=hour',
  'admin-deployments': '/admin/deployments',
  'admin-models': '/admin/models',
  'admin-plans': '/admin/plans',
  'admin-config': '/admin/config',
  'admin-guardrails': '/admin/guardrails',
  'admin-webhooks': '/admin/webhooks',
  'admin-bills': '/admin/bills',
  'admin-audit': '/admin/audit',
  'admin-dead-letters': '/admin/dead-letters',
});

/** What opens above a page, by keys. */
const layers: Readonly<Record<string, string>> = { palette: 'Control+k', shortcuts: '?' };

/** Takes a picture of every page in each look. Returns how many there are. */
export async function takePictures(
  browser: Browser,
  baseUrl: string,
  admin: Person,
  names: Names,
  folder: string,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  let count = 0;
  for (const [name, path] of Object.entries(visitorPaths)) {
    await page.goto(baseUrl + path);
    count += await inEachLook(page, folder, name, true);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Password').fill(admin.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  for (const [name, path] of Object.entries(pathsOf(names))) {
    await page.goto(baseUrl + path);
    count += await inEachLook(page, folder, name, true);
  }
  for (const [name, keys] of Object.entries(layers)) {
    await page.goto(`${baseUrl}/overview`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press(keys);
    await page.getByRole('dialog').waitFor();
    count += await inEachLook(page, folder, name, false);
  }
  return count;
}

async function inEachLook(page: Page, folder: string, name: string, fullPage: boolean): Promise<number> {
  for (const { name: look, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    // What is further down is asked for when somebody comes near it.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    // What follows the clock never comes to rest; charts are drawn by then.
    await page.waitForTimeout(600);
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' });
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage });
  }
  return looks.length;
}
