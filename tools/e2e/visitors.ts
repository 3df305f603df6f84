import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';

declare global {
  /** What a test file tells beside each of its failures: see tools/checks/one-realm.cjs. */
  // Only `var` declares a member of globalThis.
  var tellAtFailure: (() => Promise<string>)[] | undefined;
}

/** What people read where a service did not answer in time: it may have done what it was asked for or not. */
const unanswered = 'does not answer at the moment';

/** So often a page is asked again in all: one that answers nobody fails, and tells what it shows. */
const mostAgain = 10;

/** Remembers the button that was pressed last. */
const rememberPressed = `addEventListener('click', ({ target }) => {
  window.lastPressed = target.closest?.('button') ?? window.lastPressed;
}, true)`;

/** Presses again what an alert beside it says was not answered, or what the alert itself offers. */
const pressAgain = `[...document.querySelectorAll('[role=alert]')]
  .filter(({ textContent }) => textContent.includes('${unanswered}'))
  .forEach((alert) => {
    const offered = alert.querySelector('button');
    if (offered) offered.click();
    else if (alert.closest('[role=dialog], form, section')?.contains(window.lastPressed)) window.lastPressed.click();
  })`;

/** Where a page is, and what it says there in alerts and dialogs. */
const whatIsShown = `({
  path: location.pathname + location.search,
  heading: document.querySelector('h1')?.innerText ?? '',
  said: [...document.querySelectorAll('[role=alert], [role=dialog]')].map(({ role, innerText }) =>
    role + ': ' + innerText.replaceAll(/\\s+/g, ' ').slice(0, 300)),
})`;
const shown = z.object({ path: z.string(), heading: z.string(), said: z.array(z.string()) });

/** People with a browser of their own each. A test that fails tells what their pages show. */
export class Visitors {
  /**
   * What went wrong in any page without anybody noticing: broken scripts, refusals of the content security
   * policy, calls to elsewhere.
   */
  readonly incidents: string[] = [];
  private readonly pages: Page[] = [];

  /** `origins`: where pages may lead and call. */
  constructor(
    private readonly browser: Browser,
    private readonly origins: readonly string[],
  ) {
    (globalThis.tellAtFailure ??= []).push(() => this.shown());
  }

  /** An empty page of somebody new. */
  async next(): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    // Nothing is judged by it: a busy machine takes its time, and what hangs is ended.
    page.setDefaultTimeout(60_000);
    await patient(page);
    this.pages.push(page);
    page.on('pageerror', ({ message }) => this.incidents.push(message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.incidents.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !this.origins.includes(new URL(url).origin))
        this.incidents.push(`a request to ${url}`);
    });
    return page;
  }

  /** A line for each page, and one for each alert and dialog in it. */
  private async shown(): Promise<string> {
    const open = this.pages.filter((page) => !page.isClosed());
    return (await Promise.all(open.map((page) => shownBy(page)))).join('\n');
  }
}

/** As people are: whatever is waited for, what a service did not answer in time is asked for again. */
async function patient(page: Page): Promise<void> {
  await page.addInitScript(rememberPressed);
  const alert = page.locator('[role=alert]', { hasText: unanswered }).first();
  await page.addLocatorHandler(alert, () => page.evaluate(pressAgain), { noWaitAfter: true, times: mostAgain });
}

async function shownBy(page: Page): Promise<string> {
  const asked = page.evaluate(whatIsShown).catch(() => null);
  const told = await Promise.race([asked, delay(5_000, null, { ref: false })]);
  if (told === null) return 'A page does not say what it shows.';
  const { path, heading, said } = shown.parse(told);
  return [`The page ${path} shows "${heading}".`, ...said.map((text) => `  ${text}`)].join('\n');
}
