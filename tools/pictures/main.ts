import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { findBrowser, startBrowser } from '../e2e/browser';
import { startTestStack } from '../e2e/test-stack';
import { Person } from '../prove/web/person';
import { buildServices } from '../stack/build';
import { makeTraffic } from './traffic';
import { takePictures } from './take-pictures';

/**
 * Pictures of every page of the dashboard, light, dark and as on a phone, with some traffic in it:
 * `npm run pictures -- <folder>`. For people to look at; nothing is judged.
 */
async function main(): Promise<void> {
  const folder = resolve(process.argv[2] ?? 'pictures');
  mkdirSync(folder, { recursive: true });
  findBrowser();
  await buildServices();
  const test = await startTestStack();
  const browser = await startBrowser();
  try {
    const { baseUrl } = test.stack;
    const admin = await Person.firstAdministrator(test.stack, 'grace@example.org', 'correct horse battery staple');
    const names = await makeTraffic(test.stack, admin);
    const count = await takePictures(browser, baseUrl, admin, names, folder);
    process.stdout.write(`${count} pictures in ${folder}\n`);
  } finally {
    await browser.close();
    await test.stop();
  }
}

void main();
