import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { z } from 'zod';
import type { Look } from './looks';

/** A page is done when nothing was under way for so long. */
const quietMs = 250;
/** A page that never comes to rest is ended then. */
const longestMs = 60_000;

/** Hears in a page what its browser tells of paints, shifts and tasks. */
const witness = `
  const seen = (window.seen = { paintMs: 0, painted: '', shift: 0, taskMs: 0, shifted: [] });
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch('largest-contentful-paint', ({ startTime, element }) =>
    Object.assign(seen, { paintMs: startTime, painted: (element?.textContent ?? '').trim().slice(0, 60) }));
  watch('longtask', ({ duration }) => (seen.taskMs = Math.max(seen.taskMs, duration)));
  watch('layout-shift', ({ value, hadRecentInput, sources }) => {
    if (hadRecentInput) return;
    seen.shift += value;
    seen.shifted.push(...sources.flatMap(({ node }) => (node ? [(node.outerHTML ?? node.textContent).slice(0, 90)] : [])));
  });`;

const seen = z.object({
  paintMs: z.number(),
  painted: z.string(),
  shift: z.number(),
  taskMs: z.number(),
  shifted: z.array(z.string()),
});

/**
 * One visit with an empty cache. Times in milliseconds, from the address on: `paintMs` until the largest text
 * or picture was painted (`painted` is what it says), `doneMs` until nothing was under way. `shifted`: what
 * moved. `slowest`: the call to the API that took longest.
 */
export interface Visit extends z.infer<typeof seen> {
  doneMs: number;
  requests: number;
  slowest: { path: string; tookMs: number };
}

/** `context`: of the browser, such as who is signed in. @throws Error where the page never comes to rest. */
export async function visit(browser: Browser, look: Look, url: string, context: BrowserContextOptions): Promise<Visit> {
  const visitor = await browser.newContext({ ...look.context, ...context });
  try {
    const page = await visitor.newPage();
    await page.addInitScript(witness);
    await slowDown(page, look);
    return await watched(page, url);
  } finally {
    await visitor.close();
  }
}

async function slowDown(page: Page, { slowdown }: Look): Promise<void> {
  if (!slowdown) return;
  const { processor, roundTripMs, bytesPerSecond } = slowdown;
  const tools = await page.context().newCDPSession(page);
  await tools.send('Emulation.setCPUThrottlingRate', { rate: processor });
  await tools.send('Network.enable');
  const throughput = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
  await tools.send('Network.emulateNetworkConditions', { offline: false, latency: roundTripMs, ...throughput });
}

async function watched(page: Page, url: string): Promise<Visit> {
  const beganAt = performance.now();
  const underWay = new Map<Request, number>();
  let slowest = { path: '', tookMs: 0 };
  let requests = 0;
  let lastAt = beganAt;
  page.on('request', (request) => {
    requests++;
    underWay.set(request, performance.now());
  });
  const ended = (request: Request) => {
    const tookMs = performance.now() - (underWay.get(request) ?? beganAt);
    if (underWay.delete(request)) lastAt = performance.now();
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/') && tookMs > slowest.tookMs) slowest = { path: pathname + search, tookMs };
  };
  page.on('requestfinished', ended).on('requestfailed', ended);
  await page.goto(url, { waitUntil: 'load' });
  // A locator that waits looks less and less often, and would tell of that.
  while ((await page.locator('h1').count()) === 0) await pause(page, url, beganAt);
  lastAt = Math.max(lastAt, performance.now());
  while (underWay.size > 0 || performance.now() - lastAt < quietMs) await pause(page, url, beganAt);
  const told = seen.parse(await page.evaluate('window.seen'));
  return { ...told, doneMs: lastAt - beganAt, requests, slowest };
}

async function pause(page: Page, url: string, beganAt: number): Promise<void> {
  if (performance.now() - beganAt > longestMs)
    throw new Error(`${url} did not come to rest in ${longestMs / 1_000} s.`);
  await page.waitForTimeout(10);
}
