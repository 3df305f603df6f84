import type { Page } from 'playwright-core';

const nowhere = '/nowhere';

/**
 * Goes to an address of the application that a page shows, as its links do: nothing is loaded anew, and it is
 * another page by way of one that has nothing of either. Resolves when the page at that address has begun.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(goTo(nowhere));
  const nothing = page.getByRole('heading', { level: 1, name: 'Not found', exact: true });
  await nothing.waitFor({ state: 'attached' });
  await page.evaluate(goTo(path));
  await nothing.waitFor({ state: 'detached' });
}

/** As "back" and "forward" do it. */
const goTo = (path: string) =>
  `history.pushState(null, '', ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent('popstate'))`;
