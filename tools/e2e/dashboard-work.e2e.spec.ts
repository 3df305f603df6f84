import { accountsOperations } from '@tollgate/contracts/accounts';
import { eventually } from '@tollgate/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Person } from '../prove/web/person';
import { faultsIn, startBrowser } from './browser';
import { auditLog } from './dashboard/audit-log';
import { budgetsAtWork } from './dashboard/budgets-at-work';
import { openAt } from './dashboard/go-within';
import { gatewaySettings, setGuardrails } from './dashboard/gateway-settings';
import { plans } from './dashboard/plans';
import { prices } from './dashboard/prices';
import { setModels } from './dashboard/set-models';
import { liveProviders } from './dashboard/live-providers';
import { lookingForRequests } from './dashboard/looking-for-requests';
import { overviewWindows } from './dashboard/overview-windows';
import { waysByKeyboard } from './dashboard/ways-by-keyboard';
import { startTestStack, type TestStack } from './test-stack';
import { Visitors } from './visitors';

jest.setTimeout(600_000);

const operator = { email: 'grace@example.org', password: 'correct horse battery staple' };
const folder = mkdtempSync(join(tmpdir(), 'tollgate-work-'));
let test: TestStack;
let browser: Browser;
let visitors: Visitors;
let admin: Page;

const open = (path: string) => openAt(admin, test.stack.baseUrl, path);

beforeAll(async () => {
  const configuration = join(folder, 'tollgate.yaml');
  writeFileSync(configuration, 'contentLog: { enabled: true }\n');
  test = await startTestStack({ environment: { TOLLGATE_CONFIG: configuration } });
  browser = await startBrowser();
  visitors = new Visitors(browser, [test.stack.baseUrl]);
  admin = await visitors.next();
  await Person.firstAdministrator(test.stack, operator.email, operator.password);
  await open('/sign-in');
  await admin.getByLabel('Email').fill(operator.email);
  await admin.getByLabel('Password').fill(operator.password);
  await admin.getByRole('button', { name: 'Sign in', exact: true }).click();
  await admin.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
});

/** Opens the form of a new key, and names it. */
async function beginKey(name: string) {
  await open('/keys');
  await admin.getByRole('button', { name: 'Create a key' }).first().click();
  const form = admin.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name', { exact: true }).fill(name);
  return form;
}

afterAll(async () => {
  await browser.close();
  await test.stop();
  rmSync(folder, { recursive: true });
});

it('a new key stays in sight until somebody says that it is copied', async () => {
  const form = await beginKey('Notes');
  await form.getByRole('button', { name: 'Create the key' }).click();
  const dialog = admin.getByRole('dialog', { name: /is ready/ });
  const shown = await dialog.locator('code').first().innerText();
  expect(await faultsIn(admin, 'new key')).toEqual([]);
  await admin.keyboard.press('Escape');
  await admin.mouse.click(5, 5).then(() => admin.goBack());
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
  expect(await dialog.locator('code').first().innerText()).toBe(shown);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
});

describe('a window of the overview', () =>
  overviewWindows(
    () => test.stack,
    () => admin,
    operator.email,
  ));

describe('the administrator’s first page', () => {
  const toDo = () => admin.getByRole('list', { name: 'To do' });

  it('says what a new gateway lacks', async () => {
    await open('/admin');
    const firstDay = admin.getByRole('list', { name: 'The first day' });
    await firstDay.getByText('Give a provider its key').waitFor();
    await firstDay.getByText('This page came over plain HTTP.').waitFor();
    expect(await faultsIn(admin, 'administration')).toEqual([]);
  });

  it('names who asks for access, and which key ends, and leads there', async () => {
    await test.stack.call(accountsOperations.requestAccess, { name: 'Newcomer', email: 'new@example.org' });
    const { key } = await test.stack.createKey({ name: 'Ends', expiresAt: Date.now() + 3 * 86_400_000 });
    await admin.goto(`${test.stack.baseUrl}/admin`);
    await toDo().getByText('Newcomer').waitFor();
    await toDo().getByText('Ends, in 3 days.').waitFor();
    await admin.getByLabel('1 waiting').first().waitFor();
    await admin.getByRole('link', { name: /Decide: 1 account asks for access/ }).click();
    await admin.getByRole('heading', { name: 'Accounts', exact: true }).waitFor();
    await admin.getByRole('table', { name: 'Accounts' }).getByText('new@example.org', { exact: true }).waitFor();
    const actor = operator.email;
    await test.stack.call(accountsOperations.setAccountStatus, {
      account: 'new@example.org',
      status: 'declined',
      actor,
    });
    await test.stack.call(accountsOperations.revokeKey, { keyId: key.id, actor });
  });
});

it('shows what was refused before a provider was asked, by cause, and whom it was told', async () => {
  const { apiKey } = await test.stack.createKey({ name: 'Lost', plan: 'beta' });
  const answer = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nobody/knows-it', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(answer.status).toBe(404);
  await open('/admin/requests?show=refused');
  const row = admin.getByRole('row', { name: /404 model not found/ });
  await row.getByRole('link', { name: 'Lost' }).waitFor();
  expect(await row.innerText()).toContain('nobody/knows-it');
  expect(await faultsIn(admin, 'refused requests')).toEqual([]);
});

describe('the limits of a key', () => {
  const dialog = () => admin.getByRole('dialog', { name: 'Limits of "Limits"' });
  const perMinute = () => dialog().getByLabel('Requests per minute', { exact: true });
  const openLimits = async () => {
    await open('/admin/keys');
    await admin.getByRole('button', { name: 'Actions for Limits', exact: true }).click();
    await admin.getByRole('menuitem', { name: 'Change limits', exact: true }).click();
    await dialog().waitFor();
  };
  const save = async () => {
    await dialog().getByRole('button', { name: 'Save the limits' }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const kept = async () => {
    const { keys } = await test.stack.call(accountsOperations.listKeys, {});
    return keys.find(({ name }) => name === 'Limits');
  };

  beforeAll(() => test.stack.createKey({ name: 'Limits', plan: 'beta' }));

  it('are the plan’s, which is said with its number', async () => {
    await openLimits();
    await perMinute().getByRole('option', { name: 'As the plan says (60)' }).waitFor({ state: 'attached' });
    expect(await perMinute().inputValue()).toBe('plan');
    expect(await faultsIn(admin, 'limits of a key')).toEqual([]);
  });

  it('become its own by a choice, and an emptied field takes no limit away', async () => {
    await openLimits();
    await perMinute().selectOption('own');
    const own = dialog().getByLabel('Requests per minute, its own');
    await dialog().getByRole('button', { name: 'Save the limits' }).click();
    await dialog().getByRole('alert').getByText('Enter a whole number.').waitFor();
    expect(await kept()).toMatchObject({ rpm: 60, ownLimits: { rpm: 'plan' } });
    await own.fill('1,200');
    await dialog().getByLabel('Tokens per minute', { exact: true }).selectOption('own');
    await dialog().getByLabel('Tokens per minute, its own').fill('90,000');
    await dialog().getByLabel('Limits of models, a minute').fill('openai/* rpm=60\nanthropic/* tpm=5000');
    await save();
    expect(await kept()).toMatchObject({
      rpm: 1_200,
      tpm: 90_000,
      modelLimits: [
        { model: 'openai/*', rpm: 60, tpm: null },
        { model: 'anthropic/*', rpm: null, tpm: 5_000 },
      ],
      ownLimits: { rpm: 1_200, tpm: 90_000, quotaTokens: 'plan' },
    });
  });

  it('are taken away by a choice, and given back to the plan', async () => {
    await openLimits();
    expect(await perMinute().inputValue()).toBe('own');
    await perMinute().selectOption('unlimited');
    await save();
    expect(await kept()).toMatchObject({ rpm: null, ownLimits: { rpm: null } });
    await openLimits();
    expect(await perMinute().inputValue()).toBe('unlimited');
    await perMinute().selectOption('plan');
    await save();
    expect(await kept()).toMatchObject({ rpm: 60, ownLimits: { rpm: 'plan' } });
  });
});

describe('a request that failed', () => {
  let apiKey: string;
  const ask = (requestId: string, said: string) =>
    fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: JSON.stringify({
        model: 'openai/gpt-5.4-mini',
        messages: [
          { role: 'system', content: `Be exact. ${'x'.repeat(400)}` },
          { role: 'user', content: said },
        ],
      }),
    }).then((response) => response.text());
  const drawerOf = () => admin.getByRole('dialog', { name: 'Request', exact: true });
  /** The drawer of a request, once it is booked. */
  const openRequest = async (requestId: string) => {
    const row = admin.locator('tbody tr');
    await eventually(
      async () => {
        await open(`/admin/requests?requestId=${requestId}`);
        await row.or(admin.getByText('No requests found')).first().waitFor();
        return row.count();
      },
      (count) => count === 1,
      30_000,
    );
    await row.first().getByRole('button').click();
    return drawerOf();
  };

  beforeAll(async () => {
    ({ apiKey } = await test.stack.createKey({ name: 'Failing', plan: 'enterprise', logContent: true }));
  });

  it('says for each attempt what the provider answered, and where the time went', async () => {
    await ask('failing-1', 'Fail. [[sandbox: fault=503]]');
    const drawer = await openRequest('failing-1');
    const attempts = drawer.getByRole('region', { name: 'Attempts' });
    expect(await attempts.innerText()).toMatch(/HTTP 503[\s\S]*overloaded/i);
    expect(await drawer.getByRole('list', { name: 'How the time was spent' }).innerText()).toMatch(/Attempt 1 failed/);
    const said = drawer.getByText('system', { exact: true });
    const read = drawer.getByRole('button', { name: 'Read them', exact: true });
    // What was said is kept apart from what is booked, and may come after it.
    await eventually(async () => {
      await read.click();
      await said.or(drawer.getByRole('region', { name: 'Request and answer' }).getByRole('alert')).waitFor();
      return (await said.count()) === 1;
    }, 30_000);
    expect(await faultsIn(admin, 'failed request')).toEqual([]);
    // All of it lies within the window.
    const outside = await admin.evaluate<string[]>(
      `[...document.querySelectorAll('[role=dialog] button, [role=dialog] p, [role=dialog] pre')].filter((one) => one.getBoundingClientRect().right > innerWidth).map(({ textContent }) => textContent)`,
    );
    expect(outside).toEqual([]);
  });

  it('has an address, names with links, and is closed by "back"', async () => {
    const drawer = drawerOf();
    expect(await drawer.getByRole('link', { name: 'Failing', exact: true }).getAttribute('href')).toMatch(
      /^\/admin\/keys\//,
    );
    expect(await drawer.getByRole('link', { name: 'openai/gpt-5.4-mini', exact: true }).getAttribute('href')).toMatch(
      /^\/models/,
    );
    const { search } = new URL(admin.url());
    await admin.goBack();
    await drawer.waitFor({ state: 'detached' });
    await open(`/admin/requests${search.replace('failing-1', 'another')}`);
    await drawer.getByText('failing-1', { exact: true }).waitFor();
  });

  it('is found by its names in the log, where "back" undoes a filter', async () => {
    await open('/admin/requests');
    const key = admin.getByRole('link', { name: 'Failing', exact: true });
    const row = admin.locator('tbody tr').filter({ has: key }).first();
    await row.waitFor();
    expect(await admin.getByRole('columnheader').allInnerTexts()).toEqual(
      expect.arrayContaining(['Began', 'Account', 'Key']),
    );
    expect(await faultsIn(admin, 'all requests')).toEqual([]);
    const status = admin.getByLabel('Status', { exact: true });
    await status.fill('418');
    await admin.getByText('No requests found', { exact: true }).waitFor();
    await admin.goBack();
    await row.waitFor();
    await eventually(
      () => status.inputValue(),
      (value) => value === '',
    );
    await row.getByRole('link', { name: 'Failing', exact: true }).click();
    await admin.getByRole('heading', { name: 'Failing', exact: true }).waitFor();
    await admin.getByRole('main').getByRole('link', { name: 'Requests', exact: true }).click();
    await admin.waitForURL(/keyId=/);
    await admin.getByRole('columnheader', { name: 'Ended' }).waitFor();
  });

  lookingForRequests(
    () => admin,
    open,
    (requestId) => ask(requestId, 'Fail. [[sandbox: fault=503]]'),
  );

  it('tells when its key was last used', async () => {
    await open('/admin/keys');
    const row = (name: string) =>
      admin.locator('tbody tr').filter({ has: admin.getByRole('link', { name, exact: true }) });
    await row('Failing')
      .getByText(/^now$|^\d+ (seconds?|minutes?) ago$/)
      .waitFor();
    await row('Limits').getByText('Not used', { exact: true }).waitFor();
  });
});

describe('the ways by keyboard', () => waysByKeyboard(() => admin, open));

describe('the audit log', () => auditLog(() => admin, open));

describe('a budget', () => budgetsAtWork(() => admin, open, operator.email));

it('how a table is sorted stands in its address', async () => {
  await open('/models');
  const header = () => admin.getByRole('columnheader', { name: 'Context' });
  await header().getByRole('button').click();
  await admin.waitForURL(/[?]sort=-Context$/);
  await admin.reload();
  await header().waitFor();
  expect(await header().getAttribute('aria-sort')).toBe('descending');
  await admin.goBack();
  await admin.waitForURL(/models$/);
  await eventually(
    () => header().getAttribute('aria-sort'),
    (sorted) => sorted === null,
  );
});

it('a form outlives the session: somebody signs in again above it, and sends it', async () => {
  const form = await beginKey('Typed before');
  // As in another tab of the same browser.
  const other = await admin.context().newPage();
  await other.goto(`${test.stack.baseUrl}/settings`);
  await other.getByRole('button', { name: 'Your account' }).first().click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.getByRole('heading', { name: /One API key/ }).waitFor();
  await other.close();
  const send = form.getByRole('button', { name: 'Create the key' });
  const again = admin.getByRole('dialog', { name: 'Sign in again' });
  // The page may notice by itself, while it follows what happens: nothing below can be pressed then.
  await eventually(async () => {
    if ((await again.count()) === 0) await send.click({ timeout: 1_000 }).catch(() => undefined);
    return (await again.count()) === 1;
  });
  await again.getByLabel('Password').fill(operator.password);
  expect(await faultsIn(admin, 'sign in again')).toEqual([]);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'detached' });
  expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed before');
  await send.click();
  await admin.getByRole('dialog', { name: /is ready/ }).waitFor();
});

it('a password that was forgotten without mail is set by a link that an administrator makes', async () => {
  const person = await Person.signUp(test.stack, 'Ada', 'ada@example.org', 'a password to forget', 'Notes.');
  const ada = await visitors.next();
  await ada.goto(`${test.stack.baseUrl}/forgot`);
  await ada.getByRole('main').getByText('Ask an administrator for a link').waitFor();
  expect(await ada.getByRole('button', { name: 'Send the link' }).count()).toBe(0);
  expect(await faultsIn(ada, 'forgot')).toEqual([]);

  await open('/admin/accounts');
  await admin.getByRole('button', { name: 'Actions for Ada', exact: true }).click();
  await admin.getByRole('menuitem', { name: 'New password', exact: true }).click();
  const dialog = admin.getByRole('dialog', { name: 'A new password for Ada' });
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  const link = new URL(await dialog.locator('code').innerText());
  // The list below follows what happens, and the link, which is shown once, stays.
  const later = { name: 'Later', email: 'later@example.org' };
  await test.stack.call(accountsOperations.requestAccess, later);
  expect(await faultsIn(admin, 'reset link')).toEqual([]);
  const list = admin.getByRole('table', { name: 'Accounts', includeHidden: true });
  await list.getByText(later.email, { exact: true }).waitFor();
  expect(await dialog.locator('code').innerText()).toBe(link.href);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();

  await ada.goto(`${test.stack.baseUrl}${link.pathname}${link.search}`);
  await ada.getByLabel('New password').fill('a password to remember');
  await ada.getByRole('button', { name: 'Save the password' }).click();
  await ada.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  // Every other session ended.
  expect((await person.ask('GET', '/api/keys')).status).toBe(401);
});

describe('settings of the gateway', () => gatewaySettings(() => admin, open));
describe('providers without the file', () => liveProviders(() => admin, open));
describe('plans', () => plans(() => admin, open));
describe('deployments and fallbacks', () => setModels(() => admin, open));
describe('prices', () => prices(() => admin, open));
describe('guardrails', () => setGuardrails(() => admin, open));

it('all of it runs without a script error, a refusal of the content security policy, or a call to anywhere else', () => {
  expect(visitors.incidents).toEqual([]);
});
