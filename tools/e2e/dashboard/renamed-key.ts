import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/** A key gets another name on the page of keys, where `act` opens what is done with it, and keeps it. */
export async function renameKey(
  page: Page,
  act: (key: string, action: string) => Promise<void>,
  before: string,
  name: string,
): Promise<void> {
  await act(before, 'Rename');
  const dialog = page.getByRole('dialog', { name: `Rename "${before}"` });
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  expect(await faultsIn(page, 'another name of a key')).toEqual([]);
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Your keys' }).getByRole('link', { name, exact: true }).waitFor();
}
