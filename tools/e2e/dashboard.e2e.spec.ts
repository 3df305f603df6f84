import { eventually } from '@tollgate/testing';
import type { Browser, Page } from 'playwright-core';
import { tenantsEnvironment } from '../prove/tenants/prove-tenants';
import { faultsIn, startBrowser } from './browser';
import { becoming, decideAt, decisions } from './deployment-decisions';
import { addressOf, adminPages, userPages, visitorPages, type Things } from './dashboard/every-page';
import { goWithin } from './dashboard/go-within';
import { makeThings } from './dashboard/make-things';
import { standsStill } from './dashboard/late-answers';
import { keptConversations } from './dashboard/kept-conversations';
import { longLists } from './dashboard/long-lists';
import { loggedContent } from './dashboard/logged-content';
import { plantedFaults } from './dashboard/planted-faults';
import { renameKey } from './dashboard/renamed-key';
import { servedPages } from './dashboard/served-pages';
import { workByKeyboard } from './dashboard/ways-by-keyboard';
import { zoomedByDrawing } from './dashboard/zoomed-by-drawing';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';
import { Visitors } from './visitors';

jest.setTimeout(600_000);

const password = 'correct horse battery staple';

/** A picture of one pixel. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let test: TestStack;
let browser: Browser;
let ada: Page;
let admin: Page;
let visitors: Visitors;

const open = (page: Page, path: string) => page.goto(`${test.stack.baseUrl}${path}`);

async function statusWith(apiKey: string): Promise<number> {
  const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function createKey(page: Page, name: string): Promise<string> {
  await open(page, '/keys');
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  return takeKey(page);
}

/** The key that a dialog shows this once. */
async function takeKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: /is ready/ });
  const apiKey = await dialog.locator('code').first().innerText();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return apiKey;
}

async function actOnKey(page: Page, name: string, action: string): Promise<void> {
  await open(page, '/keys');
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

const yourKeys = (page: Page) => page.getByRole('table', { name: 'Your keys' });
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const tile = (page: Page, name: string) => page.locator('dl > div', { has: page.getByText(name, { exact: true }) });

beforeAll(async () => {
  test = await startTestStack({ environment: { ...tenantsEnvironment, PRICES_OLD_AFTER_DAYS: '1' } });
  browser = await startBrowser();
  visitors = new Visitors(browser, [test.stack.baseUrl]);
  [ada, admin] = await Promise.all([visitors.next(), visitors.next()]);
});
afterAll(async () => {
  await browser.close();
  await test.stop();
});

describe('from the landing page to the bill', () => {
  let apiKey: string;

  it('shows a visitor the live models, and takes a request for access', async () => {
    await open(ada, '/');
    await ada.getByRole('heading', { name: /One API key/ }).waitFor();
    await ada.getByRole('searchbox', { name: 'Search models' }).fill('gpt-5.4 mini');
    const models = ada.getByRole('region', { name: 'Models, live' });
    await models.getByText('openai/gpt-5.4-mini', { exact: true }).waitFor();
    await ada.getByRole('link', { name: 'Request access' }).click();
    await ada.getByRole('heading', { name: 'Request access' }).waitFor();
    await ada.getByLabel('Name').fill('Ada Lovelace');
    await ada.getByLabel('Email').fill('ada@example.org');
    await ada.getByLabel('Password').fill(password);
    await ada.getByLabel('What is it for?').fill('Notes on an engine.');
    await ada.getByRole('button', { name: 'Request access' }).click();
    await ada.getByText('Your request waits for approval').waitFor();
  });

  it('gives a key that is refused until somebody approves', async () => {
    apiKey = await createKey(ada, 'Notes');
    expect(await statusWith(apiKey)).toBe(403);
    await yourKeys(ada).getByText('Waits for approval', { exact: true }).waitFor();
  });

  it('makes the first administrator, who approves; then the same key answers within a second', async () => {
    await open(admin, `/first-administrator#${test.stack.bootstrapSecret}`);
    expect(await admin.getByLabel('Bootstrap secret').inputValue()).toBe(test.stack.bootstrapSecret);
    await admin.waitForURL(({ hash }) => hash === '');
    await admin.getByLabel('Name').fill('Grace Hopper');
    await admin.getByLabel('Email').fill('grace@example.org');
    await admin.getByLabel('Password').fill(password);
    await admin.getByRole('button', { name: 'Become the administrator' }).click();
    await admin.getByRole('heading', { name: 'Overview', exact: true }).waitFor();

    await open(admin, '/admin/accounts?status=pending');
    await admin.getByRole('button', { name: 'Approve Ada Lovelace' }).click();
    const dialog = admin.getByRole('dialog', { name: 'Approve Ada Lovelace?' });
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(
      await eventually(
        () => statusWith(apiKey),
        (status) => status === 200,
        1_000,
      ),
    ).toBe(200);
  });

  it('answers in the playground, with its figures', async () => {
    await open(ada, '/playground?model=openai%2Fgpt-5.4-mini');
    await ada.getByLabel('Message').fill('Tell me about gates.');
    await ada.getByLabel('Message').press('Enter');
    const figures = ada.getByRole('list', { name: 'Figures of this answer' });
    await figures.waitFor({ timeout: 60_000 });
    expect(await figures.innerText()).toMatch(/simulated[\s\S]*\d+ in, \d+ out[\s\S]*\$[\s\S]*first token[\s\S]*total/);
    await figures.getByRole('link', { name: 'in the log' }).click();
    const rows = await eventually(
      () => ada.locator('tbody tr').allInnerTexts(),
      ({ length }) => length === 1,
      15_000,
    );
    expect(rows).toEqual([expect.stringContaining('openai/gpt-5.4-mini')]);
  });

  it('shows an answer while it comes, and stops it half-way', async () => {
    await open(ada, '/playground?model=openai%2Fgpt-5.4-mini');
    await ada.getByLabel('Message').fill('Tell me everything. [[sandbox: tokens=2000 delay_ms=200]]');
    await send(ada).click();
    // Whole, it would come in minutes.
    await ada.getByRole('log').locator('[aria-busy=true] p').first().waitFor();
    await ada.getByRole('button', { name: 'Stop', exact: true }).click();
    await ada.getByRole('log').getByText('Stopped. What was produced so far is billed.').waitFor();
  });

  it('plays the tools that a model calls, takes images, and says what broke', async () => {
    await open(ada, '/playground?model=openai%2Fgpt-5.4-mini');
    const figures = ada.getByRole('list', { name: 'Figures of this answer' });
    const answers = (count: number) =>
      eventually(
        () => figures.count(),
        (present) => present === count,
        15_000,
      );
    await ada.getByRole('button', { name: 'Insert an example tool' }).click();
    await ada.getByLabel('Message').fill('Ask get_weather about Bonn.');
    await send(ada).click();
    await ada.getByLabel('Result of get_weather').fill('{"weather": "drizzle"}');
    await ada.getByRole('button', { name: 'Send the results' }).click();
    expect(await answers(2)).toBe(2);
    expect(await ada.getByRole('log').innerText()).toContain('drizzle');

    await ada.getByLabel('Tools', { exact: true }).fill('');
    await ada.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
    await ada.getByRole('img', { name: 'Attached file 1' }).waitFor();
    await ada.getByLabel('Message').fill('What is this?');
    await send(ada).click();
    expect(await answers(3)).toBe(3);

    await ada.getByLabel('Message').fill('Break. [[sandbox: fault=error_mid at=5]]');
    await send(ada).click();
    await ada.getByRole('log').getByRole('alert').waitFor();
  });

  it('asks two models at once', async () => {
    await ada.getByRole('button', { name: 'New', exact: true }).click();
    await ada.getByRole('button', { name: 'Add a model' }).click();
    await ada.getByRole('log').nth(1).waitFor();
    await ada.getByLabel('Message').fill('And about bridges?');
    await send(ada).click();
    const figures = ada.getByRole('list', { name: 'Figures of this answer' });
    await eventually(
      () => figures.count(),
      (count) => count === 2,
      60_000,
    );
  });

  keptConversations(
    () => ada,
    (path) => open(ada, path),
  );

  it('shows it in the usage, in the charts and in the log', async () => {
    await open(ada, '/overview?range=hour');
    const requests = await eventually(
      async () => Number.parseInt((await tile(ada, 'Requests').innerText()).split('\n')[1] ?? '', 10),
      (count) => count >= 4,
      30_000,
    );
    expect(requests).toBeGreaterThanOrEqual(4);
    expect(await tile(ada, 'Cost').innerText()).toMatch(/\$0\.0*[1-9]/);
    await ada.locator('canvas').first().waitFor();
    // Throughput has one where an answer came slowly enough to be measured.
    await eventually(async () => (await ada.locator('canvas').count()) >= 6);
    await ada.getByRole('button', { name: 'Requests as a table' }).click();
    await ada.getByRole('region', { name: 'Requests, table' }).getByRole('row').nth(1).waitFor();

    const byModel = ada.getByRole('table', { name: 'By model' });
    await byModel
      .getByText(/^prices of 20\d\d-\d\d-\d\d$/)
      .first()
      .waitFor();

    await zoomedByDrawing(ada);

    await open(ada, '/requests');
    // The newest may not be booked yet, and what was stopped or broke off is in the list, too.
    await ada.locator('tbody tr', { hasText: 'Completed' }).first().getByRole('button').click();
    const drawer = ada.getByRole('dialog', { name: 'Request', exact: true });
    await drawer.getByRole('heading', { name: 'Attempts' }).waitFor();
    await drawer.getByText('Completed', { exact: true }).waitFor();
    const charge = drawer.getByRole('region', { name: 'Charge' });
    await charge.getByText(/^Reserved$/).waitFor();
    // More is set aside than an answer uses, and given back; every price is older than a day here.
    expect(await charge.innerText()).toMatch(
      /Reserved\s+[\d,]+ tokens\s+Used\s+[\d,]+ tokens\s+Released\s+[\d,]+ tokens/,
    );
    await charge.getByText(/last taken from their source on 20/).waitFor();
  });

  loggedContent(
    () => ada,
    () => ({ baseUrl: test.stack.baseUrl, apiKey }),
    (action) => actOnKey(ada, 'Notes', action),
  );

  it('rotates the key: with an overlap both answer', async () => {
    await actOnKey(ada, 'Notes', 'Rotate');
    await ada.getByRole('button', { name: 'Rotate the key' }).click();
    const second = await takeKey(ada);
    expect(second).not.toBe(apiKey);
    expect([await statusWith(apiKey), await statusWith(second)]).toEqual([200, 200]);
  });

  it('renames a key, and revokes it, which is refused within a second', async () => {
    const third = await createKey(ada, 'Brief');
    await renameKey(ada, (...what) => actOnKey(ada, ...what), 'Brief', 'Short');
    expect(await statusWith(third)).toBe(200);
    await actOnKey(ada, 'Short', 'Revoke');
    await ada.getByRole('button', { name: 'Revoke the key' }).click();
    await ada.getByRole('dialog', { name: 'Revoke "Short"?' }).waitFor({ state: 'detached' });
    expect(
      await eventually(
        () => statusWith(third),
        (status) => status === 401,
        1_000,
      ),
    ).toBe(401);
  });
});

describe('who may see what', () => {
  it('keeps a user out of every administrator page and call', async () => {
    await open(ada, '/admin/accounts');
    await ada.getByText('This page is for administrators').waitFor();
    const statuses = await ada.evaluate<number[]>(
      `Promise.all(['accounts', 'keys', 'providers', 'deployments', 'models', 'audit', 'dead-letters', 'status'].map((name) => fetch('/api/admin/' + name).then(({ status }) => status)))`,
    );
    expect(new Set(statuses)).toEqual(new Set([403]));
  });

  it('refuses a change without the token of the session', async () => {
    const status = await ada.evaluate<number>(
      `fetch('/api/keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"forged"}' }).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
  });

  it('lets an operator drain, close and open a deployment, which holds at once', async () => {
    const { apiKey } = await test.stack.createKey({ name: 'operators', plan: 'enterprise', rpm: null });
    await open(admin, '/admin/deployments');
    for (const [act, state, status] of decisions) {
      await decideAt(admin, 'openai:gpt-5.4-mini', act, state);
      expect(await becoming(status, () => statusWith(apiKey))).toBe(status);
    }
  });

  it('lets a link of a mail through to its check, without anybody signed in', async () => {
    const page = await visitors.next();
    await open(page, '/verify?token=none');
    const told = page.getByRole('alert');
    await told.getByText('Not verified', { exact: true }).waitFor();
    expect(await told.innerText()).not.toMatch(/load the page|csrf/i);
  });

  it('leads to the sign-in page after a session was ended, and back', async () => {
    await open(ada, '/keys');
    await ada.context().clearCookies();
    await open(ada, '/keys');
    await ada.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await ada.getByLabel('Email').fill('ada@example.org');
    await ada.getByLabel('Password').fill(password);
    await ada.getByRole('button', { name: 'Sign in', exact: true }).click();
    await ada.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  });
});

describe('somebody without a pointer', () =>
  workByKeyboard(
    () => admin,
    () => test.stack,
  ));

describe('a list of all models', () =>
  longLists(
    () => ada,
    (path) => open(ada, path),
  ));

describe('every page', () => {
  let things: Things;

  // `npm run prove -- web` loads each of them anew, which is a third of the work.
  it('has no accessibility violation and no sideways scrolling, on a screen and a phone, light and dark', async () => {
    things = await makeThings(test.stack, (path) =>
      ada.evaluate(`fetch(${JSON.stringify(path)}).then((answer) => answer.json())`),
    );
    const visits = [
      { page: await visitors.next(), paths: visitorPages, goTo: open },
      { page: ada, paths: userPages, goTo: goWithin },
      { page: admin, paths: adminPages, goTo: goWithin },
    ];
    await Promise.all([open(ada, '/overview'), open(admin, '/admin')]);
    const found = await Promise.all(
      visits.map(async ({ page, paths, goTo }) => {
        const ofPerson: string[] = [];
        for (const path of paths) {
          await goTo(page, addressOf(path, things));
          await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
          ofPerson.push(...(await faultsIn(page, path)));
        }
        return ofPerson;
      }),
    );
    expect(found.flat()).toEqual([]);
  });

  servedPages(
    () => test.stack.baseUrl,
    () => things,
  );

  standsStill(
    () => ada,
    (path) => test.stack.baseUrl + addressOf(path, things),
  );

  plantedFaults(
    () => ada,
    (path) => open(ada, path),
  );

  it('keeps the chosen theme, and can be reached past the navigation by keyboard', async () => {
    const page = await visitors.next();
    await page.emulateMedia({ colorScheme: 'light' });
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');

    await open(admin, '/keys');
    await admin.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    await admin.keyboard.press('Tab');
    await admin.keyboard.press('Enter');
    await admin.locator('#main:focus').waitFor();
  });

  it('runs without a script error, a refusal of the content security policy, or a call to anywhere else', () => {
    expect(visitors.incidents).toEqual([]);
  });
});
