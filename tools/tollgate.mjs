// `npm run tollgate -- …`: the CLI as it was built, which starts at once, where it is made of the sources
// that are there; else from those sources, which takes tsx a second or two.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMadeFromThese } from './cli/made-from.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = fileURLToPath(new URL('../dist/tools/cli', import.meta.url));

if (isMadeFromThese(root, built)) {
  createRequire(import.meta.url)(`${built}/main.js`);
} else {
  await import('tsx');
  await import('./cli/main.ts');
}
