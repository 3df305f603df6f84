import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';
import { appearanceOf } from './appearance';
import { lossesOf } from './compare-appearance';

/** What breaks a page, by a line that does so to it, and what has to be told of it. */
const faults: readonly (readonly [string, string, RegExp])[] = [
  ['a button that vanishes', `button('Create a key').style.visibility = 'hidden'`, /^button Create a key is gone$/],
  ['a table that is too wide', `find('table').style.minWidth = '3000px'`, /^the table Your keys is wider/],
  ['a colour that fades', `find('h1').style.color = 'rgb(200 200 200)'`, /^h1 Keys has a contrast of /],
  ['what is laid out elsewhere', `find('main').style.marginLeft = '64px'`, /^main is at 267, 1173 px wide/],
  ['text that is cut off', `Object.assign(find('h1').style, { width: '1rem', overflow: 'hidden' })`, /^the text of h1/],
];

const words = `
  const find = (selector) => document.querySelector(selector);
  const button = (text) => [...document.querySelectorAll('button')].find(({ innerText }) => innerText.trim() === text);`;

/** Nothing that is found is worth more than the search: breaks the page of keys, once in each way. */
export function plantedFaults(page: () => Page, open: (path: string) => Promise<unknown>): void {
  it.each(faults)('finds %s', async (_name, breaks, told) => {
    await open('/keys');
    await page().getByRole('table', { name: 'Your keys' }).waitFor();
    const before = await appearanceOf(page());
    await page().evaluate(`{ ${words} ${breaks} }`);
    await eventually(async () => {
      const after = await appearanceOf(page());
      return [...after.faults, ...lossesOf(before.shown, after.shown)].some((fault) => told.test(fault));
    });
  });

  it('finds nothing wrong with a table that a longer word makes a little wider', async () => {
    await open('/keys');
    await page().getByRole('table', { name: 'Your keys' }).waitFor();
    const { shown } = await appearanceOf(page());
    await page().evaluate(
      `{ ${words} find('table').style.minWidth = find('table').parentElement.clientWidth * 1.1 + 'px' }`,
    );
    const after = await appearanceOf(page());
    expect([...after.faults, ...lossesOf(shown, after.shown)]).toEqual([]);
  });

  it('finds a dialog that leaves the window', async () => {
    await open('/keys');
    await page().getByRole('button', { name: 'Create a key' }).first().click();
    const dialog = page().getByRole('dialog', { name: 'Create a key' });
    await dialog.waitFor();
    expect((await appearanceOf(page())).faults).toEqual([]);
    await page().evaluate(
      `document.querySelector('[role=dialog]').style.setProperty('transform', 'translateY(-100vh)', 'important')`,
    );
    // It is not there for whoever looks while it fades in.
    await eventually(async () => (await appearanceOf(page())).faults.length > 0);
    expect((await appearanceOf(page())).faults).toEqual(['the dialog Create a key leaves the window']);
  });
}
