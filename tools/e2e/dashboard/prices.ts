import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * A price from the first look to its taking back. `admin`: the page of an administrator; `open` leads it to a
 * path.
 */
export function prices(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('are looked at, set, told with who set them, and taken back', async () => {
    await open('/admin/prices');
    await admin().getByRole('button', { name: 'Set a price' }).click();
    const dialog = admin().getByRole('dialog', { name: 'Set a price' });
    await dialog.getByLabel('Model', { exact: true }).fill('openai/gpt-5.4-nano');
    await dialog.getByLabel('Input', { exact: true }).fill('0.123');
    await dialog.getByLabel('Output', { exact: true }).fill('4.5');
    await dialog.getByLabel('Reason (optional)', { exact: true }).fill('a contract');
    expect(await faultsIn(admin(), 'a price')).toEqual([]);
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByRole('list', { name: 'What changes' }).getByText('→ 0.123').waitFor();
    await dialog.getByRole('button', { name: 'Set the price' }).click();
    await dialog.waitFor({ state: 'detached' });

    const now = admin().getByRole('table', { name: 'Prices', exact: true });
    const row = now.getByRole('row').filter({ hasText: 'openai/gpt-5.4-nano' });
    await row.getByText('$0.123 in, $4.5 out').waitFor();
    await row.getByText('the release').waitFor();
    const history = admin().getByRole('table', { name: 'Prices that were set' });
    const line = history.getByRole('row').filter({ hasText: 'a contract' });
    await line.getByText('$0.123 in, $4.5 out').waitFor();
    expect(await faultsIn(admin(), 'prices')).toEqual([]);
    await line.getByRole('button', { name: 'Take back the price of' }).click();
    await admin().getByRole('button', { name: 'Take it back' }).click();
    await line.getByText('taken back by').waitFor();
    await row.waitFor({ state: 'detached' });
  });
  it('discounts and markups are set, told with who set them, and taken back', async () => {
    await open('/admin/prices');
    await admin().getByRole('button', { name: 'Set a discount or markup' }).click();
    const dialog = admin().getByRole('dialog', { name: 'Set a discount or markup' });
    await dialog.getByLabel('Deployment').fill('openai:gpt-5.4-nano');
    await dialog.getByLabel('Markup (optional)', { exact: true }).fill('20');
    await dialog.getByRole('button', { name: 'Set it', exact: true }).click();
    await dialog.getByText('A markup of 20 is 2,000 %. For 20 % say 0.2.').waitFor();
    await dialog.getByRole('button', { name: 'Set it all the same' }).click();
    const row = admin()
      .getByRole('table', { name: 'Discounts and markups', exact: true })
      .getByRole('row')
      .filter({ hasText: 'openai:gpt-5.4-nano' });
    await row.getByText('2000 % markup').waitFor();
    const line = admin()
      .getByRole('table', { name: 'Discounts and markups that were set' })
      .getByRole('row')
      .filter({ hasText: '2000 % markup' });
    expect(await faultsIn(admin(), 'discounts and markups')).toEqual([]);
    await line.getByRole('button', { name: 'Take back what' }).click();
    await admin().getByRole('button', { name: 'Take it back' }).click();
    await line.getByText('taken back by').waitFor();
    await row.waitFor({ state: 'detached' });
  });
}
