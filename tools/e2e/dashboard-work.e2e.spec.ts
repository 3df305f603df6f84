import { accountsOperations } from '@tollgate/contracts';
import type { Browser, Page } from 'playwright-core';
import { Person } from '../prove/web/person';
import { faultsIn, startBrowser } from './browser';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';
import { Visitors } from './visitors';

jest.setTimeout(120_000);

const operator = { email: 'grace@example.org', password: 'correct horse battery staple' };

let test: TestStack;
let browser: Browser;
let visitors: Visitors;
let admin: Page;

const open = (path: string) => admin.goto(`${test.stack.baseUrl}${path}`);

beforeAll(async () => {
  test = await startTestStack();
  browser = await startBrowser();
  visitors = new Visitors(browser, [test.stack.baseUrl]);
  admin = await visitors.next();
  await Person.firstAdministrator(test.stack, operator.email, operator.password);
  await open('/sign-in');
  await admin.getByLabel('Email').fill(operator.email);
  await admin.getByLabel('Password').fill(operator.password);
  await admin.getByRole('button', { name: 'Sign in' }).click();
  await admin.getByRole('heading', { name: 'Overview' }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await test.stop();
});

it('a new key stays in sight until somebody says that it is copied', async () => {
  await open('/keys');
  await admin.getByRole('button', { name: 'Create a key' }).first().click();
  await admin.getByLabel('Name').fill('Notes');
  await admin.getByRole('button', { name: 'Create the key' }).click();
  const dialog = admin.getByRole('dialog', { name: /is ready/ });
  const shown = await dialog.locator('code').first().innerText();
  expect(await faultsIn(admin, 'new key')).toEqual([]);
  await admin.keyboard.press('Escape');
  await admin.mouse.click(5, 5);
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
  expect(await dialog.locator('code').first().innerText()).toBe(shown);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
});

describe('the limits of a key', () => {
  const perMinute = () => admin.getByLabel('Requests per minute', { exact: true });
  const openLimits = async () => {
    await open('/admin/keys');
    await admin.getByRole('button', { name: 'Actions for Limits' }).click();
    await admin.getByRole('menuitem', { name: 'Change limits' }).click();
    await admin.getByRole('dialog').waitFor();
  };
  const save = async () => {
    await admin.getByRole('button', { name: 'Save the limits' }).click();
    await admin.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const kept = async () => {
    const { keys } = await test.stack.call(accountsOperations.listKeys, {});
    return keys.find(({ name }) => name === 'Limits');
  };

  beforeAll(() => test.stack.createKey({ name: 'Limits', plan: 'beta' }));

  it('are the plan’s, which is said with its number', async () => {
    await openLimits();
    await admin.getByRole('option', { name: 'As the plan says (60)' }).waitFor({ state: 'attached' });
    expect(await perMinute().inputValue()).toBe('plan');
    expect(await faultsIn(admin, 'limits of a key')).toEqual([]);
  });

  it('become its own by a choice, and an emptied field takes no limit away', async () => {
    await openLimits();
    await perMinute().selectOption('own');
    const own = admin.getByLabel('Requests per minute, its own');
    await admin.getByRole('button', { name: 'Save the limits' }).click();
    await admin.getByRole('alert').getByText('Enter a whole number.').waitFor();
    expect(await kept()).toMatchObject({ rpm: 60, ownLimits: { rpm: 'plan' } });
    await own.fill('1,200');
    await save();
    expect(await kept()).toMatchObject({ rpm: 1_200, ownLimits: { rpm: 1_200, quotaTokens: 'plan' } });
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

it('all of it runs without a script error, a refusal of the content security policy, or a call to anywhere else', () => {
  expect(visitors.incidents).toEqual([]);
});
