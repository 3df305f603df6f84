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

/** A guardrail from the box that tries it to its removal, as `gatewaySettings`. */
export function setGuardrails(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('are tried, put in force, changed, and removed', async () => {
    await open('/admin/guardrails');
    await admin().getByLabel('A new one, alone').check();
    await admin().getByRole('textbox', { name: 'Patterns' }).fill('purple\\s+river');
    await admin().getByLabel('Text', { exact: true }).fill('Say purple river');
    await admin().getByRole('button', { name: 'Try', exact: true }).click();
    await admin().getByRole('status', { name: 'What guardrails would do' }).getByText('draft').waitFor();
    await admin().getByLabel('Id (optional)', { exact: true }).fill('No Rivers');
    const save = admin().getByRole('button', { name: 'Put it in force' });
    await save.click();
    await admin().getByRole('status').getByText('lower-case').waitFor();
    await admin().getByLabel('Id (optional)', { exact: true }).fill('no-rivers');
    expect(await faultsIn(admin(), 'a guardrail')).toEqual([]);
    await save.click();
    const row = admin()
      .getByRole('table', { name: 'Who says guardrails' })
      .getByRole('row')
      .filter({ hasText: 'no-rivers' });
    await row.getByText('in force').waitFor();
    await save.waitFor({ state: 'detached' });
    expect(await faultsIn(admin(), 'guardrails that are set')).toEqual([]);

    await row.getByRole('button', { name: 'Change the guardrail no-rivers' }).click();
    await admin().getByLabel('Block', { exact: true }).check();
    await admin().getByLabel('Models (optional)', { exact: true }).fill('openai/*');
    await save.click();
    await save.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Change the guardrail no-rivers' }).click();
    expect(await admin().getByLabel('Models (optional)', { exact: true }).inputValue()).toBe('openai/*');
    await row.getByRole('button', { name: 'Remove the guardrail no-rivers' }).click();
    await admin().getByRole('button', { name: 'Remove it' }).click();
    await row.waitFor({ state: 'detached' });
  });
}
