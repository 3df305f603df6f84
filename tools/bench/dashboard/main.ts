import { catalogOperations } from '@tollgate/contracts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { Client } from 'pg';
import { startBrowser } from '../../e2e/browser';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';
import { makePartitions, simulatedKey, writeHistory } from '../scale/history';
import { visitPages } from './visits';
import { visitsReport } from './visits-report';

const chunk = 250_000;
/** The first of so many keys has about a quarter of all requests; it becomes the visitor's own. */
const keys = 20;
const modelCount = 6;
const person = { name: 'Grace Hopper', email: 'grace@example.org', password: 'correct horse battery staple' };

/**
 * `npm run bench:dashboard`: how long each page takes in a real browser with a million requests in the
 * ledger, and how many calls it makes. Exits with 0 when all are quick.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { events: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '7' } },
  });
  const dataFolder = await mkdtemp(join(tmpdir(), 'tollgate-dashboard-'));
  await buildServices();
  const stack = await startStack({ dataFolder, environment: { TOLLGATE_SANDBOX: 'on', LOG_LEVEL: 'warn' } });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await becomeAdministrator(page, stack);
    await fill(stack, Number(values.events));
    const visits = await visitPages(page, stack.baseUrl, Number(values.rounds));
    console.log(visitsReport(visits, Number(values.events)));
    process.exitCode = visits.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await browser.close();
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
  process.exit();
}

async function becomeAdministrator(page: Page, stack: Stack): Promise<void> {
  await page.goto(`${stack.baseUrl}/first-administrator`);
  await page.getByLabel('Bootstrap secret').fill(stack.bootstrapSecret);
  await page.getByLabel('Name').fill(person.name);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Become the administrator' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** A year of requests by SQL; those of the busiest key are then the administrator's. */
async function fill(stack: Stack, events: number): Promise<void> {
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  try {
    const { models } = await stack.call(catalogOperations.snapshot, {});
    const priced = models.filter(({ prices, kind }) => prices !== null && kind === 'generation').map(({ id }) => id);
    const history = {
      keys,
      models: priced.slice(0, modelCount),
      untilMs: Date.now() - 5_000,
      lengthMs: 365 * 86_400_000,
      events,
    };
    await database.query('SET synchronous_commit = off');
    await makePartitions(database, history);
    for (let from = 0; from < events; from += chunk)
      await writeHistory(database, history, from, Math.min(from + chunk, events));
    const { rows } = await database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [person.email]);
    for (const table of ['usage_event', 'usage_minute', 'usage_hour'])
      await database.query(`UPDATE ${table} SET account_id = $1 WHERE key_id = $2`, [rows[0]?.id, simulatedKey(0)]);
    await database.query('VACUUM (ANALYZE) usage_event, usage_minute, usage_hour');
  } finally {
    await database.end();
  }
}

void main();
