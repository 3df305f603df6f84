import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * A model's fallbacks from the first change to its taking back. `admin`: the page of an administrator; `open`
 * leads it to a path.
 */
export function setModels(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('are changed and taken back, and a new one is refused without a price', async () => {
    await open('/admin/models');
    await admin().getByRole('searchbox', { name: 'Search models' }).fill('openai/gpt-5.4-nano');
    await admin().getByRole('button', { name: 'Change openai/gpt-5.4-nano', exact: true }).click();
    const dialog = admin().getByRole('dialog', { name: 'Change openai/gpt-5.4-nano' });
    await dialog.getByLabel('Fallbacks').fill('openai/nobody');
    expect(await faultsIn(admin(), 'a model')).toEqual([]);
    const save = dialog.getByRole('button', { name: 'Save the model' });
    await save.click();
    await dialog.getByRole('alert').getByText('there is no model openai/nobody').waitFor();
    await dialog.getByLabel('Fallbacks').fill('openai/o3');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const row = admin().getByRole('row').filter({ hasText: 'openai/gpt-5.4-nano' });
    await row.getByText('openai/o3', { exact: true }).waitFor();

    const back = row.getByRole('button', { name: 'Take back openai/gpt-5.4-nano', exact: true });
    await back.click();
    await admin().getByRole('button', { name: 'Take it back' }).click();
    await back.waitFor({ state: 'detached' });

    await admin().getByRole('button', { name: 'Add a model' }).click();
    const adding = admin().getByRole('dialog', { name: 'Add a model' });
    await adding.getByLabel('Id').fill('acme/small');
    await adding.getByLabel('Deployments').fill('openai/gpt-5.4-nano');
    await adding.getByRole('button', { name: 'Add the model' }).click();
    await adding.getByRole('alert').getByText('needs a price first').waitFor();
    expect(await faultsIn(admin(), 'add a model')).toEqual([]);
    await adding.getByRole('button', { name: 'Cancel' }).click();
  });
}
