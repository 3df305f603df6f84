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

/**
 * Opens an address: within the application where a page shows somebody who is signed in, which takes half the
 * work of loading it anew. A dialog, and whoever is signed out, have it loaded. What the page read seconds
 * ago may be shown first, as it is to people who go there by a link.
 */
export async function openAt(page: Page, baseUrl: string, path: string): Promise<void> {
  const isThere = page.url().startsWith(`${baseUrl}/`);
  if (isThere && (await page.getByRole('button', { name: 'Your account' }).first().isVisible()))
    await goWithin(page, path);
  else await page.goto(`${baseUrl}${path}`);
}

/** As "back" and "forward" do it. */
const goTo = (path: string) =>
  `history.pushState(null, '', ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent('popstate'))`;
