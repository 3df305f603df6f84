import { decimalFromNanoUsd, usageEvent, usageStream, uuidv7 } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { loggedRequest, series } from '@tollgate/contracts/metering';
import type { LoggedRequest } from '@tollgate/contracts/metering';
import { connectToNats } from '@tollgate/messaging';
import type { NatsUserName } from '@tollgate/messaging';
import { answerJson, eventually, FakeOidcProvider, freePort, goodChat, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { headers } from 'nats';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { Person } from '../prove/web/person';
import { startBrowser, violationsOf } from './browser';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';
import { Visitors } from './visitors';

jest.setTimeout(600_000);
const operator = { email: 'grace@example.org', password: 'correct horse battery staple' };
const model = 'openai/gpt-5.4-mini';
const claims = { sub: 'user-7', name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true };
const requestPage = z.object({ data: z.array(loggedRequest) });

const folder = mkdtempSync(join(tmpdir(), 'tollgate-records-'));
let provider: FakeOidcProvider;
let home: ScriptedUpstream;
let test: TestStack;
let browser: Browser;
let visitors: Visitors;
let ada: Page;
let adasAccountId: string;
let admin: Page;

const open = (page: Page, path: string) => page.goto(`${test.stack.baseUrl}${path}`);

/** The rows of a page, once it shows so many. */
const rowsOf = (page: Page, count: number) =>
  eventually(
    () => page.locator('tbody tr').allInnerTexts(),
    (rows) => rows.length === count,
    15_000,
  );

/** What the API tells whoever a page belongs to. */
const told = (page: Page, path: string) =>
  page.evaluate<unknown>(`fetch(${JSON.stringify(path)}).then((answer) => answer.json())`);

/** Downloads what a page shows: the text, and the query that it was asked for with. */
async function exported(page: Page, format: 'CSV' | 'JSON'): Promise<{ text: string; query: URLSearchParams }> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: `As ${format}` }).click(),
  ]);
  const { searchParams: query } = new URL(download.url());
  expect(download.suggestedFilename()).toBe(`tollgate-${query.get('what')}.${format.toLowerCase()}`);
  return { text: await readFile(await download.path(), 'utf8'), query };
}

/** The same question to the report behind an export. */
function reportPath(path: string, query: URLSearchParams, more: Record<string, string> = {}): string {
  const asked = new URLSearchParams({ ...Object.fromEntries(query), ...more });
  for (const name of ['what', 'format']) asked.delete(name);
  return `${path}?${asked.toString()}`;
}

/** Lines of CSV by their columns; nothing that these exports hold needs a quotation mark. */
function fromCsv(text: string): Record<string, string>[] {
  const [head = [], ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(head.map((name, column) => [name, cells[column] ?? ''])));
}

async function publish(user: NatsUserName, subject: string, body: string, reason?: string): Promise<void> {
  const connection = await connectToNats({ url: test.stack.natsUrlOf(user), name: 'spec' });
  const header = headers();
  if (reason !== undefined) header.set('Tollgate-Reason', reason);
  connection.publish(subject, body, { headers: header });
  await connection.flush();
  await connection.close();
}

/** Two servers of one's own: one answers, and nobody listens at the other's address. */
async function fileOfServers(): Promise<string> {
  const file = join(folder, 'tollgate.yaml');
  const servers = `providers:
  - { id: home, name: Home, preset: llama-cpp, baseUrl: '${home.url}', loadMetrics: [] }
  - { id: cellar, name: Cellar, preset: ollama, baseUrl: 'http://127.0.0.1:${await freePort()}' }
models:
  - { id: home/tiny, provider: home, upstreamModel: tiny }
`;
  writeFileSync(file, servers);
  return file;
}

beforeAll(async () => {
  provider = await FakeOidcProvider.start('localhost');
  home = await startScriptedUpstream((visit) =>
    visit.path === '/v1/models' ? answerJson(visit, 200, '{"data":[{"id":"tiny"}]}') : goodChat()(visit),
  );
  test = await startTestStack({
    environment: {
      TOLLGATE_CONFIG: await fileOfServers(),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: 'a secret of the client',
      OIDC_NAME: 'Example ID',
    },
  });
  browser = await startBrowser();
  visitors = new Visitors(browser, [test.stack.baseUrl, provider.issuer]);
  [ada, admin] = await Promise.all([visitors.next(), visitors.next()]);
});
afterAll(async () => {
  await browser.close();
  await test.stop();
  provider.stop();
  await home.stop();
  rmSync(folder, { recursive: true });
});

describe('signing in with an OpenID provider', () => {
  const signIn = async () => {
    await open(ada, '/sign-in');
    await ada.getByRole('link', { name: 'Continue with Example ID' }).click();
  };

  it('is offered by a link that everybody can use', async () => {
    await open(ada, '/sign-in');
    await ada.getByRole('link', { name: 'Continue with Example ID' }).waitFor();
    expect(await violationsOf(ada)).toEqual([]);
  });

  it('tells why, when the provider vouches for nobody', async () => {
    provider.claims = { ...claims, email_verified: false };
    await signIn();
    await ada.getByText(/You could not be signed in/).waitFor();
  });

  it('leads there and back, with a request for access that waits for approval', async () => {
    provider.claims = claims;
    await signIn();
    await ada.getByText('Your request waits for approval').waitFor();
    expect(await told(ada, '/api/auth/me')).toMatchObject({ user: { name: claims.name, email: claims.email } });
  });

  it('knows the same person again', async () => {
    await ada.context().clearCookies();
    await signIn();
    await ada.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    expect(await told(ada, '/api/auth/me')).toMatchObject({ user: { email: claims.email } });
  });
});

describe('answers from the response cache', () => {
  let requests: LoggedRequest[];

  beforeAll(async () => {
    const { account } = await test.stack.call(accountsOperations.setAccountStatus, {
      account: claims.email,
      status: 'active',
      plan: 'pro',
    });
    adasAccountId = account.id;
    const { apiKey } = await test.stack.createKey({ accountId: adasAccountId, name: 'Notes', cacheTtlS: 600 });
    const ask = async () => {
      const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, user: 'ann', messages: [{ role: 'user', content: 'Name three gates.' }] }),
      });
      await response.arrayBuffer();
      return response.headers.get('x-tollgate-cache');
    };
    expect([await ask(), await ask(), await ask()]).toEqual(['miss', 'hit', 'hit']);
    const read = async () =>
      requestPage.parse(await told(ada, `/api/reports/requests?startAt=0&endAt=${Date.now() + 1_000}`)).data;
    requests = await eventually(read, ({ length }) => length === 3, 30_000);
  });

  it('are marked in the log and in the details of a request', async () => {
    await open(ada, '/requests?range=hour');
    const rows = await rowsOf(ada, 3);
    expect(rows.map((row) => row.includes('From the cache'))).toEqual(requests.map(({ cached }) => cached === true));
    expect(rows.filter((row) => row.includes('Response cache'))).toHaveLength(2);
    expect(await violationsOf(ada)).toEqual([]);
    await ada.locator('tbody tr', { hasText: 'From the cache' }).first().getByRole('button').click();
    const drawer = ada.getByRole('dialog', { name: 'Request', exact: true });
    await drawer.getByText('From the cache', { exact: true }).waitFor();
    await drawer.getByText('Response cache', { exact: true }).waitFor();
  });

  it('are filtered like those of a provider', async () => {
    await open(ada, '/requests?range=hour');
    await ada.getByLabel('Provider', { exact: true }).selectOption({ label: 'Response cache' });
    const rows = await rowsOf(ada, 2);
    expect(rows.map((row) => row.includes('From the cache'))).toEqual([true, true]);
    await ada.getByLabel('Provider', { exact: true }).selectOption({ label: 'OpenAI' });
    expect(await rowsOf(ada, 1)).toEqual([expect.not.stringContaining('From the cache')]);
  });

  it('are counted beside the others, in sums, charts and parts', async () => {
    await open(ada, '/overview?range=hour&by=provider');
    await ada.getByText('0 cancelled, 2 more from the cache').waitFor();
    const requests = ada.locator('dl > div', { has: ada.getByText('Requests', { exact: true }) });
    expect((await requests.innerText()).split('\n')[1]).toBe('1');
    await ada.getByRole('table', { name: 'By provider' }).getByText('Response cache', { exact: true }).waitFor();
    await open(ada, '/overview?range=hour');
    await ada.getByRole('heading', { name: 'Who spent it' }).scrollIntoViewIfNeeded();
    const slices = ada.getByRole('table', { name: 'Who spent it' }).getByRole('row');
    await slices.getByText('ann', { exact: true }).waitFor();
    expect(await slices.allInnerTexts()).toEqual([expect.any(String), expect.stringMatching(/^ann\s+1\s/)]);
    await ada.getByRole('radiogroup', { name: 'Who spent it, by' }).getByText('Tag', { exact: true }).click();
    await ada.getByText('No request said its tag').waitFor();
    await ada.getByRole('button', { name: 'Requests as a table' }).click();
    const table = ada.getByRole('region', { name: 'Requests, table' });
    await table.getByRole('columnheader', { name: 'From the cache' }).waitFor();
    const counts = (await table.locator('tbody tr').allInnerTexts()).map((row) => row.split('\t').slice(1).map(Number));
    expect(counts.reduce(([one = 0, other = 0], [a = 0, b = 0]) => [one + a, other + b], [])).toEqual([1, 2]);
  });
});

describe('exports', () => {
  it('hold the usage that the API tells, as JSON', async () => {
    await open(ada, '/overview?range=hour&by=model');
    const { text, query } = await exported(ada, 'JSON');
    const report = series.parse(await told(ada, reportPath('/api/reports/series', query)));
    expect(report.totals).toMatchObject({ requests: 3, cachedRequests: 2 });
    expect(series.parse(JSON.parse(text))).toMatchObject(report);
  });

  it('hold the usage that the API tells, as CSV', async () => {
    await open(ada, '/overview?range=hour&by=provider');
    const { text, query } = await exported(ada, 'CSV');
    const { lines } = series.parse(await told(ada, reportPath('/api/reports/series', query)));
    const expected = lines.flatMap(({ name, points }) =>
      points.map((point) => ({
        line: name,
        at: new Date(point.at).toISOString(),
        requests: String(point.requests),
        input_tokens: String(point.inputTokens),
        output_tokens: String(point.outputTokens),
        cost_usd: decimalFromNanoUsd(BigInt(point.costNanoUsd)),
        latency_p50_ms: point.latency === null ? '' : String(point.latency.p50),
        from_cache: String(point.cachedRequests),
      })),
    );
    expect(expected.map(({ line }) => line)).toEqual(expect.arrayContaining(['openai', '(cache)']));
    expect(fromCsv(text)).toMatchObject(expected);
  });

  it.each(['CSV', 'JSON'] as const)('hold the log as it is filtered, as %s', async (format) => {
    await open(ada, '/requests?range=hour&provider=(cache)');
    await rowsOf(ada, 2);
    const { text, query } = await exported(ada, format);
    const { data } = requestPage.parse(await told(ada, reportPath('/api/reports/requests', query, { limit: '200' })));
    expect(data.map(({ cached }) => cached)).toEqual([true, true]);
    if (format === 'JSON') return expect(z.array(loggedRequest).parse(JSON.parse(text))).toMatchObject(data);
    const rows = data.map(({ requestId, startedAt, provider: answered }) => ({
      request_id: requestId,
      started_at: new Date(startedAt).toISOString(),
      provider: answered,
      model,
      cost_usd: '0',
      from_cache: 'true',
    }));
    expect(fromCsv(text)).toMatchObject(rows);
  });
});

describe('dead letters', () => {
  const letter = (reason: string) => admin.locator('tbody tr', { hasText: reason });
  const openLetter = async (reason: string) => {
    await open(admin, '/admin/dead-letters');
    await letter(reason).getByRole('button').click();
    return admin.getByRole('dialog', { name: /^Dead letter/ });
  };

  beforeAll(async () => {
    await Person.firstAdministrator(test.stack, operator.email, operator.password);
    await open(admin, '/sign-in');
    await admin.getByLabel('Email').fill(operator.email);
    await admin.getByLabel('Password').fill(operator.password);
    await admin.getByRole('button', { name: 'Sign in', exact: true }).click();
    await admin.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  });

  it('that can be read by now are stored and leave, once an administrator replays them', async () => {
    const { data } = requestPage.parse(
      await told(ada, `/api/reports/requests?startAt=0&endAt=${Date.now()}&provider=openai`),
    );
    const late = { ...data[0], id: uuidv7(), requestId: 'a-late-request', lease: null, reportedBy: 'edge' };
    const reason = 'The format of the event was not known.';
    await publish('metering', usageStream.deadLetterSubject, JSON.stringify([usageEvent.parse(late)]), reason);
    const drawer = await openLetter(reason);
    await drawer.getByText('a-late-request').waitFor();
    await drawer.getByRole('button', { name: 'Replay it' }).click();
    await drawer.getByText('Stored and removed').waitFor();
    await drawer.getByText('1 events stored, 0 were there already.').waitFor();
    await letter(reason).waitFor({ state: 'detached' });
    await open(admin, '/admin/requests?requestId=a-late-request');
    expect(await rowsOf(admin, 1)).toEqual([expect.stringContaining(model)]);
  });

  it('that cannot be read stay and say why, until they are dropped', async () => {
    await publish('inference', usageStream.subject, 'no events at all');
    const drawer = await openLetter('The body is not a JSON array.');
    await drawer.getByRole('button', { name: 'Replay it' }).click();
    await drawer.getByText('The letter stays').waitFor();
    await drawer.getByRole('button', { name: 'Drop it' }).click();
    await admin.getByRole('button', { name: 'Drop it for good' }).click();
    await admin.getByText('No dead letters').waitFor();
  });
});

describe('a server of one’s own', () => {
  it.each([
    [model, 1],
    ['home/tiny', 0],
  ])('is told from what the sandbox answers for: %s', async (id, marks) => {
    await open(admin, '/models');
    await admin.getByRole('searchbox', { name: 'Search models' }).fill(id);
    const row = admin.getByRole('row').filter({ has: admin.getByText(id, { exact: true }) });
    await row.waitFor();
    expect(await row.getByText('simulated', { exact: true }).count()).toBe(marks);
  });

  it.each([
    ['Home', /^lists 1 model$/],
    ['Cellar', /nobody listens there \(ECONNREFUSED\)$/],
    ['OpenAI', 'the sandbox answers in its place'],
  ])('is asked at the push of a button, which says in a line how it is: %s', async (name, says) => {
    await open(admin, '/admin/providers');
    const row = admin.getByRole('row').filter({ has: admin.getByRole('link', { name, exact: true }) });
    await row.getByRole('button', { name: `Check ${name}`, exact: true }).click();
    await row.getByRole('status').getByText(says).waitFor();
    expect(await violationsOf(admin)).toEqual([]);
  });
});

describe('a cost whose price is unconfirmed', () => {
  const doubtful = 'openai/gpt-6-sol';
  let requestId: string;

  beforeAll(async () => {
    const { apiKey } = await test.stack.createKey({ accountId: adasAccountId, name: 'Doubts' });
    const answer = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-tollgate-cost': 'on' },
      body: JSON.stringify({ model: doubtful, messages: [{ role: 'user', content: 'Name three gates.' }] }),
    });
    await answer.arrayBuffer();
    expect(Number(answer.headers.get('x-tollgate-cost'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-tollgate-cost-unconfirmed')).toBe('true');
    requestId = answer.headers.get('x-request-id') ?? '';
    const path = `/api/reports/requests?startAt=0&endAt=${Date.now() + 60_000}&requestId=${requestId}`;
    await eventually(
      async () => requestPage.parse(await told(ada, path)).data,
      ({ length }) => length === 1,
      30_000,
    );
  });

  it.each(['/overview?range=hour', '/overview?range=hour&by=provider'])('is marked in the sum of %s', async (path) => {
    await open(ada, path);
    await ada.getByText(/, some at unconfirmed prices/).waitFor();
  });

  it('is marked in what a sum is made of, in the log, at the request and in its export', async () => {
    const mark = 'price unconfirmed';
    await open(ada, '/overview?range=hour&by=model');
    const part = ada.getByRole('table', { name: 'By model' }).getByRole('row').filter({ hasText: doubtful });
    await part.getByText(mark, { exact: true }).waitFor();
    await open(ada, `/requests?range=hour&requestId=${requestId}`);
    // The doubts are of the catalog, which may come after the rows.
    await ada.locator('tbody tr').getByText(mark, { exact: true }).waitFor();
    const { text } = await exported(ada, 'CSV');
    expect(fromCsv(text)).toMatchObject([{ model: doubtful, price_unconfirmed: 'true' }]);
    await ada.locator('tbody tr').getByRole('button').first().click();
    const drawer = ada.getByRole('dialog', { name: 'Request', exact: true });
    await drawer.getByRole('region', { name: 'Facts' }).getByText(mark, { exact: true }).waitFor();
    expect(await violationsOf(ada)).toEqual([]);
  });
});

it('runs without a script error, a refusal of the content security policy, or a call to anywhere but the provider', () => {
  expect(visitors.incidents).toEqual([]);
});
