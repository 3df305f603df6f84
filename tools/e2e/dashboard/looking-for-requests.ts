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
  it('is found by a part of its id', async () => {
    await open('/admin/requests');
    await admin().getByLabel('Request id').fill('iling-1');
    await admin().waitForURL(/idPart=iling-1/);
    await eventually(
      () => admin().locator('tbody tr').count(),
      (count) => count === 1,
      15_000,
    );
  });

  it('is counted with others of its cause, which leads to them, one after another', async () => {
    await fail('failing-2');
    await eventually(
      async () => {
        await open('/admin/requests?show=failures');
        return admin()
          .getByRole('row', { name: /50\d .*openai\/gpt-5\.4-mini/ })
          .first()
          .innerText();
      },
      (row) => /\s2\s/.test(row),
      30_000,
    );
    expect(await faultsIn(admin(), 'errors by cause')).toEqual([]);
    await admin().getByRole('row', { name: /50\d / }).getByRole('link', { name: '2', exact: true }).click();
    await admin().waitForURL(/state=failed.*error=/);
    const rows = admin().locator('tbody tr');
    await eventually(
      () => rows.count(),
      (count) => count === 2,
      15_000,
    );
    await rows.first().getByRole('button').click();
    const drawer = admin().getByRole('dialog', { name: 'Request' });
    await drawer.getByText('failing-2', { exact: true }).waitFor();
    await drawer.getByText('Facts').or(drawer.getByText('Attempts')).first().waitFor();
    await admin().keyboard.press('j');
    await drawer.getByText('failing-1', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Previous request' }).click();
    await drawer.getByText('failing-2', { exact: true }).waitFor();
    await drawer.getByRole('link', { name: 'Open as a page' }).click();
    await admin().getByRole('heading', { name: 'Request failing-2' }).waitFor();
    expect(await faultsIn(admin(), 'page of a request')).toEqual([]);
  });

  const statusIs = (status: string) =>
    eventually(
      () => admin().getByLabel('Status').inputValue(),
      (value) => value === status,
      15_000,
    );

  it('is looked for by a view of one’s own, which stays', async () => {
    await open('/admin/requests?state=failed&status=503');
    await admin().getByRole('button', { name: 'Save this view' }).click();
    await admin().getByLabel('Name').fill('Overloaded');
    await admin().getByRole('button', { name: 'Save', exact: true }).click();
    await open('/admin/requests');
    await admin().getByRole('link', { name: 'Overloaded' }).click();
    await statusIs('503');
    await admin().getByRole('link', { name: 'All', exact: true }).click();
    await statusIs('');
    await admin().goBack();
    await statusIs('503');
    await admin().getByRole('button', { name: 'Live' }).click();
    await admin().getByRole('button', { name: 'Paused' }).waitFor();
    await admin().getByRole('button', { name: 'Remove the view Overloaded' }).click();
    expect(await admin().getByRole('link', { name: 'Overloaded' }).count()).toBe(0);
  });
}
