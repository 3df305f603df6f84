import type { Browser, BrowserContextOptions } from 'playwright-core';
import { z } from 'zod';
import { startBrowser } from '../../e2e/browser';
import { addressOf, adminPages, userPages, visitorPages } from '../../e2e/dashboard/every-page';
import { makeThings } from '../../e2e/dashboard/make-things';
import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { fillLedger } from './ledger';
import { type Look, looks } from './looks';
import { Person } from './person';
import { visit } from './visit';
import type { Visit } from './visit';

/** `--only /admin` visits the pages whose path begins so. */
export const webOptions = {
  requests: { type: 'string', default: '1000000' },
  rounds: { type: 'string', default: '3' },
  only: { type: 'string', default: '/' },
} as const;

const madeKey = z.object({ key: z.object({ id: z.string() }) });

interface Place {
  path: string;
  /** Who looks at it. */
  as: BrowserContextOptions;
}

/** Holds when every page is quick, still and light, on a desktop and on a slow phone. */
export async function runWeb(values: ProofValues<typeof webOptions>, say: Say): Promise<boolean> {
  const requests = Number(values.requests);
  return withStack({ onProgress: say, environment: { LOG_LEVEL: 'warn' } }, async (stack) => {
    const admin = await Person.firstAdministrator(stack, 'grace@example.org', 'correct horse battery staple');
    const { key } = madeKey.parse(await admin.mustPost('/api/keys', { name: 'Notes', expiresAt: null, models: [] }));
    await fillLedger(stack, requests, admin.email, key.id);
    const things = await makeThings(stack, async (path) => (await admin.ask('GET', path)).json());
    say(`${requests.toLocaleString('en')} requests are in the ledger.`);
    const browser = await startBrowser();
    try {
      const signedIn = await signIn(browser, admin);
      const places = [
        ...visitorPages.map((path) => ({ path, as: {} })),
        ...[...userPages, '/overview?range=month'].map((path) => ({ path, as: signedIn })),
        ...[...adminPages, '/admin/fleet?range=month'].map((path) => ({ path, as: signedIn })),
      ].filter(({ path }) => path.startsWith(values.only));
      const pages = await visitAll(
        browser,
        (path) => stack.baseUrl + addressOf(path, things),
        places,
        Number(values.rounds),
      );
      say(webReport(pages, requests));
      return pages.every((page) => excessOf(page).length === 0);
    } finally {
      await browser.close();
    }
  });
}

async function signIn(browser: Browser, { baseUrl, email, password }: Person): Promise<BrowserContextOptions> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  const storageState = await context.storageState();
  await context.close();
  return { storageState };
}

/** Rounds, rather than each page some times in a row: what a machine does for a while hits all pages alike. */
async function visitAll(
  browser: Browser,
  addressTo: (path: string) => string,
  places: readonly Place[],
  rounds: number,
): Promise<PageVisits[]> {
  const pages = looks.flatMap((look) => places.map((place) => ({ ...place, look, visits: new Array<Visit>() })));
  for (let round = 0; round < rounds; round++)
    for (const { path, as, look, visits } of pages) visits.push(await visit(browser, look, addressTo(path), as));
  return pages;
}

/** How a page did in one look, over some visits. */
interface PageVisits {
  path: string;
  look: Look;
  visits: readonly Visit[];
}

interface Figures {
  paintMs: number;
  doneMs: number;
  taskMs: number;
  requests: number;
  shift: number;
}

/** Times are of the middle visit, as a machine stands still now and then; requests and shifts of the worst. */
function figuresOf({ visits }: PageVisits): Figures {
  const middle = (of: (one: Visit) => number) => visits.map(of).sort((a, b) => a - b)[visits.length >> 1] ?? 0;
  return {
    paintMs: middle(({ paintMs }) => paintMs),
    doneMs: middle(({ doneMs }) => doneMs),
    taskMs: middle(({ taskMs }) => taskMs),
    requests: Math.max(...visits.map(({ requests }) => requests)),
    shift: Math.max(...visits.map(({ shift }) => shift)),
  };
}

/** What a page takes too much of, each as a text; empty: nothing. */
function excessOf(page: PageVisits): string[] {
  const { paintMs, taskMs, requests, shift } = figuresOf(page);
  const { limits } = page.look;
  const worst = page.visits.toSorted((a, b) => b.shift - a.shift)[0];
  const latest = page.visits.toSorted((a, b) => b.paintMs - a.paintMs)[0];
  return [
    ...(paintMs >= limits.paintMs
      ? [
          `paints late: "${latest?.painted}"; its slowest call was ${latest?.slowest.path}, ${latest?.slowest.tookMs.toFixed(0)} ms`,
        ]
      : []),
    ...(taskMs > limits.taskMs ? ['has a long task'] : []),
    ...(requests > limits.requests ? ['fetches too much'] : []),
    ...(shift >= limits.shift ? [`shifts: ${worst?.shifted.slice(0, 3).join(' | ')}`] : []),
  ];
}

/** The figures as a table for people, then what is too much. */
function webReport(pages: readonly PageVisits[], requests: number): string {
  const row = (cells: readonly string[]) =>
    [cells[0]?.padEnd(60), cells[1]?.padEnd(8), ...cells.slice(2).map((cell) => cell.padStart(9))].join(' ').trimEnd();
  const lines = pages.map((page) => {
    const { paintMs, doneMs, requests: fetched, shift, taskMs } = figuresOf(page);
    const figures = [paintMs.toFixed(0), doneMs.toFixed(0), taskMs.toFixed(0), String(fetched), shift.toFixed(3)];
    return row([page.path, page.look.name, ...figures, excessOf(page).length > 0 ? 'too much' : '']);
  });
  const excess = pages.flatMap((page) => excessOf(page).map((text) => `${page.path}, ${page.look.name}: ${text}`));
  return [
    `With ${requests.toLocaleString('en')} requests in the ledger, each page with an empty cache:`,
    row(['', '', 'paint ms', 'done ms', 'task ms', 'requests', 'shift']),
    ...lines,
    ...excess,
  ].join('\n');
}
