import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';

/**
 * What an operator decides of a deployment, in this order: the button, the state that the page then shows,
 * and the status of a request to its model.
 */
export const decisions = [
  ['Drain', 'Draining', 503],
  ['Close', 'Closed by an operator', 503],
  ['Open', 'In use', 200],
] as const;

/** Decides on the open page of deployments, with a reason, and waits until the page shows it. */
export async function decideAt(page: Page, deployment: string, act: string, state: string): Promise<void> {
  await page.getByLabel('Search deployments and models').fill(deployment);
  const table = page.getByRole('table', { name: 'Deployments' });
  const row = table.getByRole('row').filter({ has: page.getByText(deployment, { exact: true }) });
  await row.getByRole('button', { name: `${act} ${deployment}`, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `${act} ${deployment}?`, exact: true });
  await dialog.getByLabel('Reason').fill(`for a look at ${act}`);
  // The dialog's own cross is called Close, too.
  await dialog.getByRole('button', { name: act, exact: true }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await row.getByText(state, { exact: true }).waitFor();
}

/** The status of a request as soon as it is `wanted`; what it still is after five seconds, otherwise. */
export const becoming = (wanted: number, ask: () => Promise<number>): Promise<number> =>
  eventually(ask, (status) => status === wanted, 5_000);
