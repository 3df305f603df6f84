import { eventually } from '@tollgate/testing';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { appearanceOf } from './appearance';
import { fromText, lossesOf, toText } from './compare-appearance';

const file = join(__dirname, 'appearances.txt');
/** A page that still loads is looked at again so long; nothing waits where it is as it was. */
const patienceMs = 3_000;
/** What a page still fetches has come by then; only where its appearance is to be kept. */
const settledMs = 1_000;

/**
 * What is wrong with how a page looks, each as a text: what no page may have, and what it lost since its
 * appearance was kept in `appearances.txt`, where it was. `TOLLGATE_APPEARANCES=keep` keeps what it is now.
 * @param name - of the page in a look.
 */
export async function appearanceFaults(page: Page, name: string): Promise<string[]> {
  if (process.env['TOLLGATE_APPEARANCES'] === 'keep') await keep(page, name);
  const before = fromText(readFileSync(file, 'utf8')).get(name) ?? [];
  const looks: string[][] = [];
  const isRight = async () => {
    const { shown, faults } = await appearanceOf(page);
    const wrong = [...faults, ...lossesOf(before, shown)];
    looks.push(wrong);
    return wrong.length === 0;
  };
  try {
    await eventually(isRight, patienceMs);
  } catch (error) {
    if (looks.length === 0) throw error;
  }
  return looks.at(-1) ?? [];
}

async function keep(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(settledMs);
  const { shown } = await appearanceOf(page);
  const kept = fromText(readFileSync(file, 'utf8'));
  writeFileSync(file, toText(kept.set(name, shown)));
}
