import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/** What somebody reaches by keys alone. `admin`: the page of an administrator; `open` leads it to a path. */
export function waysByKeyboard(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('lead anywhere by a part of a name', async () => {
    await open('/overview');
    await admin().getByRole('heading', { name: 'Overview' }).waitFor();
    await admin().keyboard.press('Control+k');
    await admin().getByRole('combobox').fill('audit');
    await admin().getByRole('option', { name: 'Audit log' }).waitFor();
    expect(await faultsIn(admin(), 'go anywhere')).toEqual([]);
    await admin().keyboard.press('Enter');
    await admin().getByRole('heading', { name: 'Audit log' }).waitFor();
    await admin().keyboard.press('Control+k');
    await admin().getByRole('combobox').fill('claude sonnet');
    await admin().getByRole('option').first().waitFor();
    await admin().keyboard.press('Enter');
    await admin().waitForURL(/\/models\/[\w-]+\//);
    await admin().goBack();
    await admin().getByRole('heading', { name: 'Audit log' }).waitFor();
  });

  it('are listed under a question mark, and can be switched off', async () => {
    // The second key comes soon after the first, also where the browser is slow.
    await eventually(async () => {
      await admin().keyboard.press('g');
      await admin().keyboard.press('r');
      return (await admin().getByRole('heading', { name: 'Requests', exact: true }).count()) === 1;
    });
    await admin().getByPlaceholder('A part is enough').waitFor();
    await admin().keyboard.press('/');
    expect(await admin().evaluate('document.activeElement.placeholder')).toBe('A part is enough');
    await admin().evaluate('document.activeElement.blur()');
    await admin().keyboard.press('?');
    const list = admin().getByRole('dialog', { name: 'Shortcuts' });
    await list.getByText('Pause the list, or let it follow again').waitFor();
    expect(await faultsIn(admin(), 'shortcuts')).toEqual([]);
    await list.getByLabel('Single keys are shortcuts').click();
    await admin().keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await admin().keyboard.press('?');
    await admin().keyboard.press('Control+k');
    await admin().getByRole('combobox').waitFor();
    expect(await list.count()).toBe(0);
    await admin().keyboard.press('Escape');
  });
}
