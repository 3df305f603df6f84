import type { Page, Request } from 'playwright-core';
import { percentiles } from '../percentiles';

/**
 * How a page did. Times in milliseconds, from the click on its address until what it asked for is on the
 * screen.
 */
export interface PageVisits {
  path: string;
  medianMs: number;
  slowestMs: number;
  /** The most calls to the API in one visit. */
  calls: number;
  holds: boolean;
}

const paths = [
  '/overview',
  '/overview?range=month',
  '/keys',
  '/requests',
  '/requests?show=failures',
  '/models',
  '/models/openai/gpt-5.4-mini',
  '/playground',
  '/settings',
  '/admin',
  '/admin/accounts',
  '/admin/keys',
  '/admin/fleet',
  '/admin/fleet?range=month',
  '/admin/requests',
  '/admin/providers',
  '/admin/providers/openai',
  '/admin/deployments',
  '/admin/models',
  '/admin/config',
  '/admin/audit',
  '/admin/dead-letters',
];
const quickMs = 1_000;
const fewCalls = 10;
/** A page is done when nothing was under way for so long. */
const quietMs = 150;

/** Visits every page in turn, some rounds after one that fills caches as a person's first visit does. */
export async function visitPages(page: Page, baseUrl: string, rounds: number): Promise<PageVisits[]> {
  const visits: PageVisits[] = [];
  for (const path of paths) {
    const times: number[] = [];
    let calls = 0;
    for (let round = 0; round <= rounds; round++) {
      const visit = await visitOnce(page, baseUrl + path);
      if (round > 0) times.push(visit.tookMs);
      calls = Math.max(calls, visit.calls);
    }
    const slowestMs = Math.max(...times);
    const { p50: medianMs } = percentiles(times);
    visits.push({ path, medianMs, slowestMs, calls, holds: medianMs < quickMs && calls <= fewCalls });
  }
  return visits;
}

async function visitOnce(page: Page, url: string): Promise<{ tookMs: number; calls: number }> {
  const underWay = new Set<Request>();
  let calls = 0;
  let lastAt = performance.now();
  // A stream of live news never ends: it is a call, but nothing to wait for.
  const began = (request: Request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) calls++;
    if (request.resourceType() !== 'eventsource') underWay.add(request);
  };
  const ended = (request: Request) => {
    if (underWay.delete(request)) lastAt = performance.now();
  };
  page.on('request', began).on('requestfinished', ended).on('requestfailed', ended);
  const beganAt = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  // A locator that waits looks less and less often, and would tell of that.
  while ((await page.locator('h1').count()) === 0) await page.waitForTimeout(10);
  lastAt = Math.max(lastAt, performance.now());
  while (underWay.size > 0 || performance.now() - lastAt < quietMs) await page.waitForTimeout(10);
  page.off('request', began).off('requestfinished', ended).off('requestfailed', ended);
  return { tookMs: lastAt - beganAt, calls };
}
