import { accountsOperations } from '@tollgate/contracts/accounts';
import { eventually } from '@tollgate/testing';
import type { Locator, Page } from 'playwright-core';
import type { Stack } from '../../stack/stack';
import { faultsIn } from '../browser';

/** More steps than a page has places to stop at. */
const mostSteps = 400;
/** What a page does with the focus once it is drawn is done then. */
const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))';
const paletteName = 'Go to a page, a model, a key or a request';

/** What somebody reaches by keys alone. `admin`: the page of an administrator; `open` leads it to a path. */
export function waysByKeyboard(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  /** Of what opens above a page, which may have lists to choose from itself. */
  const search = () => admin().getByRole('combobox', { name: paletteName });
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

  it('lead nowhere by a letter alone, also in the first second of a page', async () => {
    await open('/overview');
    await heading('Overview').waitFor();
    // Times of keys count from when the page was loaded.
    await admin().evaluate(`dispatchEvent(Object.defineProperty(
      new KeyboardEvent('keydown', { key: 'k' }), 'timeStamp', { value: 100 }))`);
    await admin().evaluate(drawn);
    expect(await admin().evaluate('location.pathname')).toBe('/overview');
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

/** A day's work without a pointer. `page`: of an administrator of the stack, who may ask models. */
export function workByKeyboard(page: () => Page, stack: () => Stack): void {
  const { press, reach, go } = keyboardOf(page);
  const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
  const dialog = (name: string | RegExp) => page().getByRole('dialog', { name });
  const row = (text: string) => page().getByRole('row').filter({ hasText: text });

  it('makes a key, finds out why its request failed, and lets somebody in', async () => {
    await page().goto(`${stack().baseUrl}/overview`);
    const pages = page().getByRole('navigation', { name: 'Pages' }).first();
    await press(pages.getByRole('link', { name: 'Keys', exact: true }));
    await press(button(page(), 'Create a key').first());
    await reach(dialog('Create a key').getByLabel('Name', { exact: true }));
    await page().keyboard.type('By keyboard');
    await page().keyboard.press('Enter');
    const made = dialog(/is ready/);
    const apiKey = await made.locator('code').first().innerText();
    await press(button(made, 'I have copied it'));
    await made.waitFor({ state: 'detached' });

    expect(await failing(stack().baseUrl, apiKey)).toBeGreaterThanOrEqual(500);
    await go('Failed requests');
    await press(row('By keyboard').getByRole('button'));
    const drawer = page().getByRole('dialog', { name: 'Request', exact: true });
    await drawer.getByRole('region', { name: 'Attempts' }).getByText('HTTP 503').first().waitFor();
    await page().keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    await stack().call(accountsOperations.requestAccess, { name: 'Keyboarder', email: 'keyboarder@example.org' });
    await go('Accounts');
    await press(button(page(), 'Approve Keyboarder'));
    const question = dialog('Approve Keyboarder?');
    await press(button(question, 'Approve'));
    await question.waitFor({ state: 'detached' });
    await row('keyboarder@example.org').getByText('Active', { exact: true }).waitFor();
  });
}

/** Goes by the tab key and the palette, and presses Enter. */
function keyboardOf(page: () => Page) {
  const hasFocus = async (target: Locator) => (await target.and(page().locator(':focus')).count()) === 1;
  const reach = async (target: Locator) => {
    await target.waitFor();
    for (let step = 0; step < mostSteps; step++) {
      if ((await hasFocus(target)) && (await page().evaluate(drawn), await hasFocus(target))) return;
      await page().keyboard.press('Tab');
    }
    throw new Error(`The tab key does not lead to ${String(target)}.`);
  };
  const press = async (target: Locator) => {
    await reach(target);
    await page().keyboard.press('Enter');
  };
  const go = async (name: string) => {
    await page().keyboard.press('Control+k');
    await reach(page().getByRole('combobox', { name: paletteName }));
    await page().keyboard.type(name);
    await page().getByRole('option', { name, exact: true, selected: true }).waitFor();
    await page().keyboard.press('Enter');
    await page().getByRole('dialog', { name: 'Go anywhere' }).waitFor({ state: 'detached' });
  };
  return { reach, press, go };
}

/** The status of a request that its provider cannot answer. */
async function failing(baseUrl: string, apiKey: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-5.4-mini',
      messages: [{ role: 'user', content: 'Fail. [[sandbox: fault=503]]' }],
    }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
