import type { Page, Route } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * A provider that is set without the file, from its address to its removal. `admin`: the page of an
 * administrator; `open` leads it to a path.
 */
export function liveProviders(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  it('are added with a key that nobody sees again, given another one, and removed', async () => {
    await open('/admin/providers');
    await admin().getByRole('button', { name: 'Add a provider' }).click();
    const adding = admin().getByRole('dialog', { name: 'Add a provider' });
    await adding.getByLabel('Id').fill('acme');
    await adding.getByLabel('Address').fill('http://127.0.0.1:9/v1');
    await adding.getByLabel('Key').fill('sk-first-of-acme');
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    await adding.getByRole('alert').getByText('must begin with https://').waitFor();
    expect(await faultsIn(admin(), 'add a provider')).toEqual([]);
    await adding.getByLabel('Address').fill('https://acme.invalid/v1');
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    await adding.waitFor({ state: 'detached' });
    const table = admin().getByRole('table', { name: 'Providers' });
    const link = table.getByRole('link', { name: 'acme', exact: true });
    await link.waitFor();

    await open('/admin/providers/acme');
    const card = admin().getByRole('region', { name: 'Given keys' });
    await card.getByText('https://acme.invalid/v1', { exact: true }).waitFor();
    await card.getByText('…acme').waitFor();
    await card.getByRole('button', { name: 'Replace main' }).click();
    const replacing = admin().getByRole('dialog', { name: 'Replace the key main of acme' });
    await replacing.getByLabel('Key').fill('sk-other-of-shop');
    await replacing.getByRole('button', { name: 'Replace', exact: true }).click();
    await replacing.waitFor({ state: 'detached' });
    await card.getByText('…shop').waitFor();
    expect(await admin().content()).not.toMatch(/sk-(first|other)/);
    expect(await faultsIn(admin(), 'a provider')).toEqual([]);

    await loseOneAnswer(admin(), '/api/admin/providers/acme/remove');
    await card.getByRole('button', { name: 'Remove the provider' }).click();
    const removing = admin().getByRole('dialog', { name: 'Remove acme?' });
    await removing.getByRole('button', { name: 'Remove', exact: true }).click();
    await admin().getByRole('heading', { name: 'Providers', exact: true }).waitFor();
    await table.waitFor();
    await link.waitFor({ state: 'detached' });
  });
}

/** What is asked for next at a path is done, and nobody hears of it in time. */
async function loseOneAnswer(page: Page, path: string): Promise<void> {
  const message = 'A part of the gateway does not answer at the moment, try again shortly.';
  const lose = async (route: Route) => {
    await route.fetch();
    await route.fulfill({ status: 503, json: { error: { message } } });
  };
  await page.route((url) => url.pathname === path, lose, { times: 1 });
}
