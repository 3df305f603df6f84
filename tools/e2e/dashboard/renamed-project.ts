import { accountsOperations } from '@tollgate/contracts/accounts';
import { budgetOperations } from '@tollgate/contracts/metering';
import type { Page } from 'playwright-core';
import type { Stack } from '../../stack/stack';
import { faultsIn } from '../browser';

/**
 * An administrator calls a project something else, as some keyboards type it, and its page goes on under the
 * name as it is kept. Nothing is asked of the project that is gone.
 */
export async function renameProject(page: Page, stack: Stack): Promise<void> {
  const { key } = await stack.createKey({ name: 'Pages', project: 'web' });
  const { accountId } = key;
  const wish = { accountId, project: 'web', limitUsd: '5', window: 'month' } as const;
  await stack.call(budgetOperations.create, { ...wish, name: 'of pages' });
  await page.goto(`${stack.publicUrl}/admin/accounts/${accountId}/projects/web`);
  await page.getByRole('table', { name: 'Keys' }).getByText('Pages', { exact: true }).waitFor();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Rename "web"' });
  await dialog.getByLabel('Name', { exact: true }).fill(' cafe\u0301 ');
  expect(await faultsIn(page, 'another name of a project')).toEqual([]);
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('heading', { name: 'caf\u00e9', exact: true, level: 1 }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Keys' }).getByText('Pages', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'Budgets' }).getByText('of pages', { exact: true }).waitFor();
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/admin/accounts/${accountId}/projects/caf\u00e9`);
  expect(refused).toEqual([]);
  const { key: kept } = await stack.call(accountsOperations.getKey, { keyId: key.id });
  expect(kept.project).toBe('caf\u00e9');
}
