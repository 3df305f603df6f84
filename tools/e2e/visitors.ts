import type { Browser, Page } from 'playwright-core';

/** People with a browser of their own each. */
export class Visitors {
  /**
   * What went wrong in any page without anybody noticing: broken scripts, refusals of the content security
   * policy, calls to elsewhere.
   */
  readonly incidents: string[] = [];

  /** `origins`: where pages may lead and call. */
  constructor(
    private readonly browser: Browser,
    private readonly origins: readonly string[],
  ) {}

  /** An empty page of somebody new. */
  async next(): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    // Nothing is judged by it: a busy machine takes its time, and what hangs is ended.
    page.setDefaultTimeout(60_000);
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
}
