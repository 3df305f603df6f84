import { accountsOperations, adminTokenOperations, memberOperations } from '@tollgate/contracts/accounts';
import { eventually, freePort } from '@tollgate/testing';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { Person } from '../prove/web/person';
import { faultsIn, startBrowser } from './browser';
import { renameProject } from './dashboard/renamed-project';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';
import { Visitors } from './visitors';

jest.setTimeout(600_000);

const operator = { email: 'grace@example.org', password: 'correct horse battery staple' };

let test: TestStack;
let browser: Browser;
let visitors: Visitors;
let owner: Page;

const open = (page: Page, path: string) => page.goto(`${test.stack.publicUrl}${path}`);

beforeAll(async () => {
  // Browsers give no passkey to an address of the network.
  const port = await freePort();
  const environment = { SECOND_FACTOR_REQUIRED: 'administrators' };
  test = await startTestStack({ port, publicUrl: `http://localhost:${port}`, environment });
  browser = await startBrowser();
  visitors = new Visitors(browser, [test.stack.publicUrl]);
  await Person.firstAdministrator(test.stack, operator.email, operator.password);
  owner = await visitors.next();
  await signIn(owner, operator.email);
  await owner.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await test.stop();
});

async function signIn(page: Page, email: string): Promise<void> {
  await open(page, '/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(operator.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Who is in the account, and who is only invited, are tables of their own. */
const people = (page: Page) => page.getByRole('table', { name: 'People', exact: true });

/** Invites somebody by a link, and joins by it in a browser of their own. */
async function join(email: string, role: string): Promise<Page> {
  const link = await invitationOf(email, role);
  const page = await visitors.next();
  await page.goto(link);
  await page.getByRole('heading', { name: /^Join / }).waitFor();
  if (role === 'viewer') expect(await faultsIn(page, 'an invitation')).toEqual([]);
  await page.getByLabel('Name').fill(`A ${role}`);
  await page.getByLabel('Password').fill(operator.password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  return page;
}

/** Invites somebody, and takes the link. */
async function invitationOf(email: string, role: string): Promise<string> {
  await open(owner, '/people');
  await owner.getByRole('button', { name: 'Invite somebody' }).click();
  const form = owner.getByRole('dialog', { name: 'Invite somebody' });
  await form.getByLabel('Email').fill(email);
  await form.getByLabel('Role').selectOption(role);
  if (role === 'viewer') expect(await faultsIn(owner, 'invite somebody')).toEqual([]);
  await form.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = owner.getByRole('dialog', { name: `The link for ${email}` });
  const link = await dialog.locator('code').innerText();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  return link;
}

it('an administrator of whom a second factor is demanded sets one up before all else', async () => {
  await open(owner, '/people');
  await owner.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
  expect(await faultsIn(owner, 'a demanded second factor')).toEqual([]);
  await setUpAuthenticator(owner);
  await owner.getByRole('button', { name: 'Go on', exact: true }).click();
  await people(owner).getByText(operator.email, { exact: true }).waitFor();
});

it('a project gets another name, with its keys and budgets', () => renameProject(owner, test.stack));

it('who is of a suspended account is told whom to ask, and not that their role is too small', async () => {
  const email = 'stopped@example.org';
  await Person.signUp(test.stack, 'Stopped', email, operator.password, 'Notes.');
  for (const status of ['active', 'suspended'] as const)
    await test.stack.call(accountsOperations.setAccountStatus, { account: email, status });
  const stopped = await visitors.next();
  await signIn(stopped, email);
  await stopped.getByText('Your account is suspended').waitFor();
  await open(stopped, '/playground');
  await stopped.getByText('Your account may not ask').waitFor();
  await open(stopped, '/settings');
  await stopped.getByText('Billing, while your account is suspended').waitFor();
  await stopped.close();
});

it('somebody who is invited joins by a link, and sees what their role may', async () => {
  const viewer = await join('viewer@example.org', 'viewer');
  const pages = await viewer.getByRole('navigation', { name: 'Pages' }).first().getByRole('link').allInnerTexts();
  expect(pages).toEqual(['Overview', 'Keys', 'Budgets', 'Requests', 'Models', 'People', 'Settings']);
  await open(viewer, '/keys');
  await viewer.getByText('You have no key yet').waitFor();
  expect(await viewer.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
  await open(viewer, '/people');
  await people(viewer).getByText('viewer@example.org', { exact: true }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Invite somebody' }).count()).toBe(0);
  await open(viewer, '/playground');
  await viewer.getByText('Your role does not use the playground').waitFor();
  await open(viewer, '/admin/webhooks');
  await viewer.getByText('This page is for administrators of the gateway').waitFor();
});

it('an invitation that somebody else opens says who they are, and who would be signed in', async () => {
  const link = await invitationOf('newcomer@example.org', 'developer');
  await owner.goto(link);
  await owner.getByText(`You are signed in as ${operator.email}`).waitFor();
  await owner.getByText('This invitation is for newcomer@example.org.').waitFor();
  expect(await faultsIn(owner, 'an invitation for somebody else')).toEqual([]);
});

it('a link of an invitation or a verification that lost its end says so', async () => {
  const page = await visitors.next();
  for (const path of ['/join', '/verify']) {
    await open(page, path);
    await page.getByText('This link is not complete.').waitFor();
  }
});

it('a person who is removed is signed out, and their key stops', async () => {
  const developer = await join('developer@example.org', 'developer');
  await open(developer, '/keys');
  await developer.getByRole('button', { name: 'Create a key' }).first().click();
  const form = developer.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name', { exact: true }).fill('Theirs');
  expect(await form.getByLabel(/For a machine/).count()).toBe(0);
  await form.getByRole('button', { name: 'Create the key' }).click();
  const dialog = developer.getByRole('dialog', { name: /is ready/ });
  const apiKey = await dialog.locator('code').first().innerText();
  const status = async () =>
    (await fetch(`${test.stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })).status;
  expect(await status()).toBe(200);
  await open(owner, '/keys');
  await owner
    .getByRole('table', { name: 'Your keys' })
    .getByRole('cell', { name: 'A developer', exact: true })
    .waitFor();
  await open(owner, '/people');
  const theirs = people(owner).getByText('developer@example.org', { exact: true });
  await theirs.waitFor();
  expect(await faultsIn(owner, 'people')).toEqual([]);
  await owner.getByRole('button', { name: 'Actions for A developer', exact: true }).click();
  await owner.getByRole('menuitem', { name: 'Remove', exact: true }).click();
  const asks = owner.getByRole('dialog', { name: 'Remove A developer?' });
  await asks.getByText('One key of theirs stop').waitFor();
  await asks.getByRole('button', { name: 'Remove', exact: true }).click();
  await eventually(status, (told) => told === 401, 1_000);
  await theirs.waitFor({ state: 'detached' });
  await open(developer, '/keys');
  await developer.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
});

it('an administrator of the gateway does the same on the page of an account, which shows what came of it', async () => {
  await join('leaving@example.org', 'developer');
  const account = operator.email;
  const members = await test.stack.call(memberOperations.list, { account });
  const personId = members.people.find(({ email }) => email === 'leaving@example.org')?.id;
  const { key } = await test.stack.call(accountsOperations.createKey, { email: account, personId, name: 'Left' });
  await open(owner, `/admin/accounts/${key.accountId}`);
  const row = (name: RegExp) => owner.getByRole('row', { name });
  await row(/Left.*Active/).waitFor();

  const actions = owner.getByRole('button', { name: 'Actions for A developer', exact: true });
  await actions.click();
  await owner.getByRole('menuitem', { name: 'Change the role' }).click();
  const changes = owner.getByRole('dialog', { name: 'The role of A developer' });
  await changes.getByLabel('Role').selectOption('viewer');
  expect(await faultsIn(owner, 'a role on the page of an account')).toEqual([]);
  await changes.getByRole('button', { name: 'Change the role' }).click();
  await row(/leaving@example.org.*Viewer/).waitFor();

  await actions.click();
  await owner.getByRole('menuitem', { name: 'Remove', exact: true }).click();
  const asks = owner.getByRole('dialog', { name: 'Remove A developer?' });
  await asks.getByRole('button', { name: 'Remove', exact: true }).click();
  await people(owner).getByText('leaving@example.org', { exact: true }).waitFor({ state: 'detached' });
  await row(/Left.*Revoked/).waitFor();
});

/** Returns a recovery code. */
async function setUpAuthenticator(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up a second factor' });
  await dialog.getByLabel('Password').fill(operator.password);
  await dialog.getByRole('button', { name: 'Go on', exact: true }).click();
  const secret = await dialog.locator('code').first().innerText();
  await dialog.getByRole('img', { name: 'The key, to be scanned' }).waitFor();
  expect(await faultsIn(page, 'a second factor')).toEqual([]);
  await dialog.getByLabel('Code').fill(new TOTP({ secret }).generate());
  await dialog.getByRole('button', { name: 'Switch it on' }).click();
  const [recovery = ''] = (await dialog.locator('pre').innerText()).split('\n');
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  return recovery;
}

it('a second factor is set up in the settings, asked for beside the password, and reset for who lost it', async () => {
  const page = await join('careful@example.org', 'billing');
  await open(page, '/settings');
  const recovery = await setUpAuthenticator(page);
  await page.getByText('Recovery codes that are left: 10.').waitFor();

  const elsewhere = await visitors.next();
  await signIn(elsewhere, 'careful@example.org');
  await elsewhere.getByLabel('Code').waitFor();
  expect(await faultsIn(elsewhere, 'a code')).toEqual([]);
  await elsewhere.getByLabel('Code').fill('000000');
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await elsewhere.getByRole('alert').getByText('This code is not right').waitFor();
  await elsewhere.getByLabel('Code').fill(recovery);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await elsewhere.getByRole('heading', { name: 'Overview', exact: true }).waitFor();

  await open(owner, '/people');
  await owner.getByRole('button', { name: 'Actions for A billing', exact: true }).click();
  await owner.getByRole('menuitem', { name: 'Reset the second factor' }).click();
  const asks = owner.getByRole('dialog', { name: 'Reset the second factor of A billing?' });
  await asks.getByText('careful@example.org is signed out at once').waitFor();
  expect(await faultsIn(owner, 'the reset of a second factor')).toEqual([]);
  await asks.getByRole('button', { name: 'Reset the second factor' }).click();
  await asks.waitFor({ state: 'detached' });
  await signIn(elsewhere, 'careful@example.org');
  await elsewhere.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
});

/** A browser of somebody new whose device keeps passkeys, and verifies whoever sits before it. */
async function withAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const kind = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
  const options = { ...kind, isUserVerified: true, automaticPresenceSimulation: true };
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
}

/** Its browser offers no passkeys where an address is typed. */
const withoutAutofill = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false';

it('a passkey is added and renamed, signs in as it is offered, alone and beside the password, and is removed', async () => {
  const email = 'keyless@example.org';
  const page = await join(email, 'developer');
  await withAuthenticator(page);
  await open(page, '/settings');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Name').fill('This laptop');
  await dialog.getByLabel('Password').fill(operator.password);
  expect(await faultsIn(page, 'a passkey')).toEqual([]);
  await dialog.getByRole('button', { name: 'Add it', exact: true }).click();
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('button', { name: 'Rename the passkey This laptop' }).click();
  const renaming = page.getByRole('dialog', { name: 'Rename the passkey This laptop' });
  await renaming.getByLabel('Name').fill('Work laptop');
  expect(await faultsIn(page, 'the name of a passkey')).toEqual([]);
  await renaming.getByRole('button', { name: 'Rename', exact: true }).click();
  const remove = page.getByRole('button', { name: 'Remove the passkey Work laptop' });
  await remove.waitFor();
  expect(await faultsIn(page, 'passkeys')).toEqual([]);

  const overview = page.getByRole('heading', { name: 'Overview', exact: true });
  await page.context().clearCookies();
  // Without anybody to choose, this browser takes the first that it would offer.
  await open(page, '/sign-in');
  await overview.waitFor();

  await page.addInitScript(withoutAutofill);
  await page.context().clearCookies();
  await open(page, '/sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await overview.waitFor();

  await page.context().clearCookies();
  await signIn(page, email);
  await page.getByLabel('Code').waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await overview.waitFor();

  await open(page, '/settings');
  await remove.click();
  const asks = page.getByRole('dialog', { name: 'Remove the passkey Work laptop?' });
  await asks.getByLabel('Password').fill(operator.password);
  await asks.getByRole('button', { name: 'Use a passkey' }).click();
  await asks.waitFor({ state: 'detached' });
  await remove.waitFor({ state: 'detached' });
  await page.context().clearCookies();
  await open(page, '/sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').getByText('This passkey was refused').waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // What became of the last try is told, and nothing of those before it.
  await page.getByRole('alert').getByText('password').waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
});

it('a directory sends somebody into the account and takes them away; their key stops within a second', async () => {
  const actor = 'spec';
  const { token } = await test.stack.call(adminTokenOperations.create, {
    ...{ name: 'okta', scopes: ['scim'], account: operator.email, expiresAt: null, actor },
  });
  const scim = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
    const response = await fetch(`${test.stack.baseUrl}/scim/v2${path}`, {
      ...{ method, headers: body ? headers : { authorization: headers.authorization } },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { id: string; active: boolean };
  };
  const { id, active } = await scim('POST', '/Users', { userName: 'sent@example.org', displayName: 'Sent' });
  expect(active).toBe(true);
  await open(owner, '/people');
  await people(owner).getByText('sent@example.org', { exact: true }).waitFor();
  const account = operator.email;
  const members = await test.stack.call(memberOperations.list, { account });
  const personId = members.people.find(({ email }) => email === 'sent@example.org')?.id;
  const { apiKey } = await test.stack.call(accountsOperations.createKey, { email: account, personId, name: 'Sent' });
  const status = async () =>
    (await fetch(`${test.stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })).status;
  expect(await status()).toBe(200);
  const off = { Operations: [{ op: 'replace', value: { active: false } }] };
  expect((await scim('PATCH', `/Users/${id}`, off)).active).toBe(false);
  await eventually(status, (told) => told === 401, 1_000);
  await open(owner, '/people');
  await people(owner).getByText(operator.email, { exact: true }).waitFor();
  expect(await people(owner).getByText('sent@example.org').count()).toBe(0);
});
