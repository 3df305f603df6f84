import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { faultsIn } from '../browser';

/**
 * What the audit log tells of keys whose limits were changed and that were made. `admin`: the page of an
 * administrator; `open` leads it to a path.
 */
export function auditLog(admin: () => Page, open: (path: string) => Promise<unknown>): void {
  const row = (key: string) =>
    admin()
      .getByRole('table', { name: 'Audit log' })
      .getByRole('row')
      .filter({ has: admin().getByRole('link', { name: key, exact: true }) });

  it('tells what was changed, of what and from what, in words', async () => {
    await open('/admin/audit?action=key-changed');
    await row('Limits').first().waitFor();
    const changes = await row('Limits').allInnerTexts();
    expect(changes.join('\n')).toMatch(/Key changed[\s\S]*Requests per minute: as the plan says → 1,200/);
    expect(changes.join('\n')).toMatch(/Requests per minute: unlimited → as the plan says/);
    expect(await row('Limits').first().getByRole('link', { name: 'Limits' }).getAttribute('href')).toMatch(
      /^\/admin\/keys\//,
    );
    expect(await faultsIn(admin(), 'audit log')).toEqual([]);
  });

  it('is searched by who and what, and downloaded as it is shown', async () => {
    await open('/admin/audit');
    // Before the search its rows are there: without them, no row of theirs says nothing.
    await row('Limits').first().waitFor();
    await admin().getByRole('searchbox', { name: 'Search by person, account or key' }).fill('Failing');
    await row('Limits').first().waitFor({ state: 'detached' });
    await row('Failing').waitFor();
    await admin().getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      admin().waitForEvent('download'),
      admin().getByRole('menuitem', { name: 'As CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toEqual([
      'at,actor,action,account_id,account,key_id,key,detail',
      expect.stringMatching(/^2.*,key-created,.*,Failing,/),
    ]);
  });
}
