import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * Settings from the first version to the way back. `admin`: the page of an administrator; `open` leads it to
 * a path.
 */
export function gatewaySettings(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('are refused with the place of a fault, looked at, put in force, and taken back', async () => {
    await open('/admin/config');
    const entries = admin().getByRole('table', { name: 'Entries in force' });
    await entries.getByRole('row').filter({ hasText: 'contentLog' }).getByText('from the file').waitFor();
    const editor = admin().getByRole('textbox', { name: 'Settings', exact: true });
    const look = admin().getByRole('button', { name: 'Look at the changes' });
    await editor.fill('models: [{ id: openai/o3, fallbacks: [openai/nobody] }]');
    await look.click();
    await admin().getByRole('alert').getByText('models[0].fallbacks[0]: there is no model openai/nobody').waitFor();

    await editor.fill('models: [{ id: openai/o3, aliases: [thinker] }]');
    await look.click();
    const question = admin().getByRole('dialog', { name: 'Put these settings in force?' });
    await question.getByRole('listitem').filter({ hasText: 'models openai/o3: added' }).waitFor();
    await question.getByLabel('Reason').fill('a short name');
    expect(await faultsIn(admin(), 'put settings in force')).toEqual([]);
    await question.getByRole('button', { name: 'Put in force' }).click();
    await question.waitFor({ state: 'detached' });
    await entries.getByRole('row').filter({ hasText: 'openai/o3' }).getByText('in force').waitFor();

    await editor.fill('');
    await look.click();
    await question.getByRole('listitem').filter({ hasText: 'models openai/o3: removed' }).waitFor();
    await question.getByRole('button', { name: 'Put in force' }).click();
    await entries.getByText('openai/o3').waitFor({ state: 'detached' });

    const versions = admin().getByRole('table', { name: 'Versions' });
    await versions.getByRole('row').filter({ hasText: 'a short name' }).waitFor();
    expect(await faultsIn(admin(), 'gateway settings')).toEqual([]);
    await versions.getByRole('button', { name: 'Compare, roll back to version 1' }).click();
    const back = admin().getByRole('dialog', { name: 'Back to version 1?' });
    await back.getByRole('listitem').filter({ hasText: 'aliases: ["thinker"]' }).waitFor();
    await back.getByRole('button', { name: 'Roll back' }).click();
    await back.waitFor({ state: 'detached' });
    await entries.getByRole('row').filter({ hasText: 'openai/o3' }).waitFor();
    await versions.getByRole('row').filter({ hasText: 'roll-back to version 1' }).waitFor();
  });
}
