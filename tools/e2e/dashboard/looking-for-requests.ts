import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * How a failed request is found, once `failing-1` has failed. `admin`: the page of an administrator; `open`
 * leads it to a path; `fail` makes another request fail for the same cause.
 */
export function lookingForRequests(
  admin: () => Page,
  open: (path: string) => Promise<unknown>,
  fail: (requestId: string) => Promise<unknown>,
): void {
  const causes = () => admin().getByRole('table', { name: 'Errors by cause' });
  const rows = () => admin().getByRole('table', { name: 'Requests', exact: true }).locator('tbody tr');

  it('is found by a part of its id', async () => {
    await open('/admin/requests');
    await admin().getByLabel('Request id', { exact: true }).fill('iling-1');
    await admin().waitForURL(/idPart=iling-1/);
    await eventually(
      () => rows().count(),
      (count) => count === 1,
      15_000,
    );
  });

  it('is counted with others of its cause, which leads to them, one after another', async () => {
    await fail('failing-2');
    const cause = causes().getByRole('row', { name: /50\d .*openai\/gpt-5\.4-mini/ });
    const both = cause.getByRole('link', { name: '2', exact: true });
    await eventually(async () => {
      await open('/admin/requests?show=failures');
      await cause.first().waitFor();
      return (await both.count()) === 1;
    }, 30_000);
    expect(await faultsIn(admin(), 'errors by cause')).toEqual([]);
    await both.click();
    await admin().waitForURL(/state=failed.*error=/);
    await eventually(
      () => rows().count(),
      (count) => count === 2,
      15_000,
    );
    await rows().first().getByRole('button').click();
    const drawer = admin().getByRole('dialog', { name: 'Request', exact: true });
    const shows = (requestId: string) => drawer.getByText(requestId, { exact: true });
    await shows('failing-2').waitFor();
    await drawer.getByRole('heading', { name: 'Attempts' }).waitFor();
    // It is the last of the list: another press leads nowhere.
    await eventually(async () => {
      await admin().keyboard.press('j');
      return (await shows('failing-1').count()) === 1;
    });
    await drawer.getByRole('button', { name: 'Previous request' }).click();
    await shows('failing-2').waitFor();
    await drawer.getByRole('link', { name: 'Open as a page' }).click();
    await admin().getByRole('heading', { name: 'Request failing-2' }).waitFor();
    expect(await faultsIn(admin(), 'page of a request')).toEqual([]);
    await admin().getByRole('button', { name: 'Next request' }).click();
    await admin().getByRole('heading', { name: 'Request failing-1' }).waitFor();
    await admin().goBack();
    await admin().getByRole('heading', { name: 'Request failing-2' }).waitFor();
  });

  const statusIs = (status: string) =>
    eventually(
      () => admin().getByLabel('Status', { exact: true }).inputValue(),
      (value) => value === status,
      15_000,
    );

  it('is looked for by a view of one’s own, which stays', async () => {
    await open('/admin/requests?state=failed&status=503');
    await admin().getByRole('button', { name: 'Save this view' }).click();
    const dialog = admin().getByRole('dialog', { name: 'Save this view' });
    await dialog.getByLabel('Name', { exact: true }).fill('Overloaded');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await open('/admin/requests');
    const views = admin().getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Overloaded', exact: true }).click();
    await statusIs('503');
    await views.getByRole('link', { name: 'All', exact: true }).click();
    await statusIs('');
    await admin().goBack();
    await statusIs('503');
    await admin().getByRole('button', { name: 'Live', exact: true }).click();
    await admin().getByRole('button', { name: 'Paused', exact: true }).waitFor();
    await views.getByRole('button', { name: 'Remove the view Overloaded' }).click();
    await views.getByRole('link', { name: 'Overloaded', exact: true }).waitFor({ state: 'detached' });
  });
}
