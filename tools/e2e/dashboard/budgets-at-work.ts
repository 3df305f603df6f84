import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * A budget from the first to the last: set, looked at, changed and removed by an administrator. `admin`:
 * their page; `open` leads it to a path; `email` is the address of their account.
 */
export function budgetsAtWork(admin: () => Page, open: (path: string) => Promise<unknown>, email: string): void {
  it('is set with a refusal told at its field, found, changed, and removed after a question', async () => {
    await open('/admin/budgets');
    await admin().getByRole('button', { name: 'Set a budget' }).first().click();
    const dialog = admin().getByRole('dialog', { name: 'Set a budget' });
    await dialog.getByLabel('Account').fill(email);
    await dialog.getByLabel('Name', { exact: true }).fill('team');
    await dialog.getByLabel('Limit, US dollars').fill('$0.000000005');
    await dialog.getByLabel('Time zone').fill('Europe/Nowhere');
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    await dialog.getByRole('alert').getByText('"Europe/Nowhere" is none').waitFor();
    expect(await faultsIn(admin(), 'set a budget')).toEqual([]);
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');

    // A key is of the account that was typed last.
    await dialog.getByLabel('On', { exact: true }).selectOption('key');
    await dialog.getByLabel('Key', { exact: true }).selectOption({ index: 1 });
    await dialog.getByLabel('Account').fill('somebody@example.org');
    await dialog.getByLabel('Account').fill(email);
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    await dialog.getByRole('alert').getByText('Choose a key.').waitFor();
    await dialog.getByLabel('On', { exact: true }).selectOption('account');
    // A refusal of the window stands where it was chosen.
    await dialog.getByLabel('Who has the limit').selectOption('end_user');
    const window = dialog.getByLabel('Window', { exact: true });
    await window.selectOption('total');
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    await dialog.getByRole('alert').getByText('needs one that ends').waitFor();
    await window.selectOption('month');
    await dialog.getByLabel('Who has the limit').selectOption('together');
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    await dialog.waitFor({ state: 'detached' });
    const table = admin().getByRole('table', { name: 'Budgets' });
    await table.getByText('Each month (Europe/Berlin)').waitFor();
    expect(await faultsIn(admin(), 'budgets')).toEqual([]);

    await table.getByRole('link', { name: 'team', exact: true }).click();
    await admin().getByRole('region', { name: 'Now' }).getByText('$0.000000005', { exact: true }).first().waitFor();
    expect(await faultsIn(admin(), 'budget')).toEqual([]);
    await admin().getByRole('button', { name: 'Change' }).click();
    const change = admin().getByRole('dialog', { name: 'Change the budget "team"' });
    await change.getByLabel('Limit, US dollars').fill('25');
    await change.getByRole('button', { name: 'Save the budget' }).click();
    await admin().getByRole('region', { name: 'Now' }).getByText('$25.00 of $25.00 left').waitFor();

    await admin().getByRole('button', { name: 'Remove' }).click();
    const question = admin().getByRole('dialog', { name: 'Remove the budget "team"?' });
    await question.getByRole('button', { name: 'Remove the budget' }).click();
    await admin().getByText('There is no budget yet', { exact: true }).waitFor();
    expect(new URL(admin().url()).pathname).toBe('/admin/budgets');
  });
}
