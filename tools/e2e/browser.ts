import { eventually } from '@tollgate/testing';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { appearanceFaults } from './dashboard/kept-appearances';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * The path of a real browser: the one that TOLLGATE_CHROMIUM names, else one on the PATH, else Debian's own
 * package, installed where that is allowed.
 * @throws Error with what to do, when there is none.
 */
export function findBrowser(): string {
  return process.env['TOLLGATE_CHROMIUM'] ?? onPath() ?? fromDebian();
}

export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findBrowser() });
}

function onPath(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function fromDebian(): string {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !isExecutable('/usr/bin/apt-get'))
    throw new Error('These tests need Chromium: install it (apt-get install chromium), or set TOLLGATE_CHROMIUM.');
  const options = { stdio: 'ignore' as const, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  execFileSync('apt-get', ['update'], options);
  execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation'], options);
  return '/usr/bin/chromium';
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Rows are made alike: a table of all models takes axe a minute, twenty of them a second. */
const furtherRows = 'tbody tr:nth-child(n + 21), tbody + tbody tr';

/**
 * What axe finds wrong with a page as it stands (WCAG 2.2 AA and best practices; or its contrasts alone), one
 * text for each finding.
 */
export async function violationsOf(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  // What passes is not told, and to name each such element is an eighth of the work.
  const options = { resultTypes: ['violations'], ...(rules === 'all' ? {} : { runOnly: ['color-contrast'] }) };
  // A colour on its way to that of another theme is neither. What moves for ever never ends.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined)))`);
  return page.evaluate(`axe.run({ include: document, exclude: '${furtherRows}' }, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' ')))`);
}

/**
 * How a page is looked at. The layout of a phone has no colours of its own; another theme has nothing else
 * than colours.
 */
const looks = [
  { width: 1440, colorScheme: 'light', rules: 'all' },
  { width: 390, colorScheme: 'light', rules: 'all' },
  { width: 1440, colorScheme: 'dark', rules: 'colours' },
] as const;

/**
 * Everything wrong with what a page shows now, in each look: findings of axe, what lies outside the window,
 * and what it lost since its appearance was kept. Keeps a picture of each.
 */
export async function faultsIn(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const { width, colorScheme, rules } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await eventually(
      () => page.getByLabel('Loading', { exact: true }).count(),
      (count) => count === 0,
      15_000,
    );
    for (const violation of await violationsOf(page, rules))
      found.push(`${name} at ${width}, ${colorScheme}: ${violation}`);
    const overflow = await overflowOf(page);
    if (overflow > 0) found.push(`${name} at ${width} is ${overflow} px too wide`);
    const view = `${name} at ${width}, ${colorScheme}`;
    found.push(...(await appearanceFaults(page, view)).map((fault) => `${view}: ${fault}`));
    await keepPicture(page, `${name}-${width}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  return found;
}

/** By how many pixels a page is too wide: what is drawn follows a new width of the window a moment later. */
async function overflowOf(page: Page): Promise<number> {
  let overflow = 0;
  const measure = async () => (overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  await eventually(measure, (pixels) => pixels <= 0, 500).catch(() => undefined);
  return overflow;
}

/** For people: a page as a picture, in the folder that TOLLGATE_SCREENSHOTS names. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['TOLLGATE_SCREENSHOTS'];
  const file = name.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '');
  if (folder) await page.screenshot({ path: `${folder}/${file}.png`, fullPage: true });
}
