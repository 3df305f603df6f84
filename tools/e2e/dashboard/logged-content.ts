import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';
import { violationsOf } from '../browser';

/**
 * What is kept of requests with a key. `ada`: the page of its owner; `gateway`: where it is asked, and the
 * key; `act` chooses what is done with it, on the page of keys.
 */
export function loggedContent(
  ada: () => Page,
  gateway: () => { baseUrl: string; apiKey: string },
  act: (action: string) => Promise<void>,
): void {
  it('logs what is asked with a key once its owner says so, and shows it as text', async () => {
    await act('Logging');
    const dialog = ada().getByRole('dialog', { name: 'Logging of "Notes"' });
    await dialog.getByText(/kept for 30 days/).waitFor();
    expect(await violationsOf(ada())).toEqual([]);
    await dialog.getByText('Log them', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await ada().getByRole('table', { name: 'Your keys' }).getByText('Logged', { exact: true }).waitFor();
    const said = '<img src=x onerror=alert(1)> to';
    const ask = async () => {
      const requestId = `logged-${Date.now()}`;
      await fetch(`${gateway().baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${gateway().apiKey}`, 'content-type': 'application/json' },
          'x-request-id': requestId,
        },
        body: JSON.stringify({
          model: 'openai/gpt-5.4-mini',
          messages: [{ role: 'user', content: `${said} ada@example.com` }],
        }),
      });
      const row = ada().locator('tbody tr');
      await eventually(async () => {
        await ada().goto(`${gateway().baseUrl}/requests?requestId=${requestId}`);
        await row.or(ada().getByText('No requests found')).first().waitFor();
        return (await row.count()) === 1;
      }, 15_000);
      await row.getByRole('button').click();
      const section = ada().getByRole('region', { name: 'Request and answer' });
      await section.getByText(/Kept until|Nothing of them is kept/).waitFor();
      return section.innerText();
    };
    const shown = await eventually(ask, (text) => text.includes('Kept until'), 30_000);
    expect(shown).toContain(`${said} [redacted:email]`);
    expect(await violationsOf(ada())).toEqual([]);
    const drawer = ada().getByRole('dialog', { name: 'Request', exact: true });
    await drawer.getByRole('link', { name: 'Ask it again' }).click();
    await eventually(
      () => ada().getByLabel('Message').inputValue(),
      (text) => text.startsWith(said),
      15_000,
    );
    await ada().goBack();
    await drawer.getByRole('button', { name: 'Remove them' }).click();
    await ada().getByRole('button', { name: 'Remove them for good' }).click();
    await drawer.getByText('Nothing of them is kept.').waitFor();
  });
}
