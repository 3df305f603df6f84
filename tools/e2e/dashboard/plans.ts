import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * A plan from the first limit to its end. `admin`: the page of an administrator; `open` leads it to a path.
 */
export function plans(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('are added, changed and removed, and those of the file are not', async () => {
    await open('/admin/plans');
    const table = admin().getByRole('table', { name: 'Plans' });
    await table.getByRole('row').filter({ hasText: 'enterprise' }).getByText('the release').waitFor();
    expect(await faultsIn(admin(), 'plans')).toEqual([]);

    await admin().getByRole('button', { name: 'Add a plan' }).click();
    const dialog = admin().getByRole('dialog', { name: 'Add a plan' });
    await dialog.getByLabel('Name').fill('weekend');
    await dialog.getByLabel('Requests per minute, at most').fill('12');
    await dialog.getByLabel('Tokens per month, at most').fill('345000');
    await dialog.getByLabel('Limits of models, a minute').fill('openai/* rpm=3');
    expect(await faultsIn(admin(), 'a plan')).toEqual([]);
    await dialog.getByRole('button', { name: 'Add the plan' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = table.getByRole('row').filter({ hasText: 'weekend' });
    await row.getByText('345,000').waitFor();
    await row.getByText('openai/* rpm=3').waitFor();

    await row.getByRole('button', { name: 'Change weekend' }).click();
    const change = admin().getByRole('dialog', { name: 'Limits of the plan "weekend"' });
    await change.getByLabel('Requests per minute, at most').fill('13');
    await change.getByRole('button', { name: 'Save the limits' }).click();
    await change.waitFor({ state: 'detached' });
    await row.getByRole('cell', { name: '13', exact: true }).waitFor();

    await row.getByRole('button', { name: 'Remove weekend' }).click();
    await admin().getByRole('button', { name: 'Remove the plan' }).click();
    await row.waitFor({ state: 'detached' });
  });
}
