import { eventually } from '@tollgate/testing';
import type { Page, Route } from 'playwright-core';
import { z } from 'zod';

/** Hears in a page how much of what is in sight was moved (https://web.dev/articles/cls), and what. */
const witness = `
  window.moved = [];
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, sources }) => window.moved.push({
    value, what: sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? '').slice(0, 90)) })))
    .observe({ type: 'layout-shift', buffered: true });`;
const moved = z.array(z.object({ value: z.number(), what: z.array(z.string()) }));

/** What the web proof allows a page: tools/prove/web. */
const most = 0.05;
/** What was drawn is in sight, and what it moved was told. */
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Of all that one part of a page asks for, whatever the time is meanwhile. */
const addressOf = (route: Route) => {
  const { pathname, searchParams } = new URL(route.request().url());
  return `${pathname} ${searchParams.get('groupBy')}`;
};

/** `who` is signed in; `urlOf`: of a page's path. */
export function standsStill(who: () => Page, urlOf: (path: string) => string): void {
  it.each(['/overview', '/projects/{project}'])(
    'stands still in whichever order its answers come: %s',
    async (path) => {
      const url = urlOf(path);
      expect(await Promise.all([movedBy('first', who(), url), movedBy('last', who(), url)])).toEqual([[], []]);
    },
  );
}

/**
 * What moves on a page, on a phone, whose answers are let through one at a time: the first that was asked for
 * first, or the last; nothing where it is as still as a page has to be. `who` is signed in.
 */
async function movedBy(order: 'first' | 'last', who: Page, url: string): Promise<string[]> {
  const page = await who.context().newPage();
  const held: Route[] = [];
  const asked = new Set<string>();
  // What is asked for again and again is held once: with all of them the queue would never be empty.
  const hold = async (route: Route) => {
    const address = addressOf(route);
    if (asked.has(address)) return route.continue().catch(() => undefined);
    asked.add(address);
    held.push(route);
  };
  const letOneThrough = async () => {
    const route = order === 'first' ? held.shift() : held.pop();
    // What the page took back meanwhile has no answer.
    await route?.continue().catch(() => undefined);
    const answer = await route?.request().response();
    await answer?.finished();
  };
  try {
    page.setDefaultTimeout(60_000);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.addInitScript(witness);
    await page.route(/\/api\/(?!auth\/me)/, hold);
    await page.goto(url);
    await page.locator('h1').waitFor();
    await eventually(async () => {
      await page.evaluate(twoFrames);
      await letOneThrough();
      return held.length === 0 && (await page.getByLabel('Loading', { exact: true }).count()) === 0;
    }, 60_000);
    await page.evaluate(twoFrames);
    const all = moved.parse(await page.evaluate('window.moved'));
    const isStill = all.reduce((sum, { value }) => sum + value, 0) < most;
    return isStill ? [] : all.map(({ value, what }) => `${value.toFixed(3)}: ${what.join(' | ')}`);
  } finally {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  }
}
