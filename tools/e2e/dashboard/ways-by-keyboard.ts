import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/** What somebody reaches by keys alone. `admin`: the page of an administrator; `open` leads it to a path. */
export function waysByKeyboard(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  /** Of what opens above a page, which may have lists to choose from itself. */
  const search = () => admin().getByRole('combobox', { name: 'Go to a page, a model, a key or a request' });
  const heading = (name: string) => admin().getByRole('heading', { name, exact: true });

  it('lead anywhere by a part of a name', async () => {
    await open('/overview');
    await heading('Overview').waitFor();
    await admin().keyboard.press('Control+k');
    await search().fill('audit');
    await admin().getByRole('option', { name: 'Audit log' }).waitFor();
    expect(await faultsIn(admin(), 'go anywhere')).toEqual([]);
    await admin().keyboard.press('Enter');
    await heading('Audit log').waitFor();
    await admin().keyboard.press('Control+k');
    await search().fill('claude sonnet');
    await admin()
      .getByRole('option', { name: /claude.*sonnet/i })
      .first()
      .waitFor();
    await admin().keyboard.press('Enter');
    await admin().waitForURL(/\/models\/[\w-]+\//);
    await admin().goBack();
    await heading('Audit log').waitFor();
  });

  it('are listed under a question mark, and can be switched off', async () => {
    // The second key comes soon after the first, also where the browser is slow.
    await eventually(async () => {
      await admin().keyboard.press('g');
      await admin().keyboard.press('r');
      return (await heading('Requests').count()) === 1;
    });
    const field = admin().getByPlaceholder('A part is enough');
    await field.waitFor();
    // A new page takes the focus to its content, a moment after it is there.
    await eventually(async () => {
      await admin().keyboard.press('/');
      return (await admin().locator('[data-search]:focus').count()) === 1;
    });
    await field.blur();
    await admin().keyboard.press('?');
    const list = admin().getByRole('dialog', { name: 'Shortcuts' });
    await list.getByText('Pause the list, or let it follow again').waitFor();
    expect(await faultsIn(admin(), 'shortcuts')).toEqual([]);
    await list.getByLabel('Single keys are shortcuts').click();
    await admin().keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await admin().keyboard.press('?');
    await admin().keyboard.press('Control+k');
    await search().waitFor();
    expect(await list.count()).toBe(0);
    await admin().keyboard.press('Escape');
  });
}
