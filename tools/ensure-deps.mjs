// Installs what is missing, or does not match the lock file, and generates the database's client where it is
// not that of the schema, since programs that run from sources import it.
// `node tools/ensure-deps.mjs` installs everything; with `--to-run` what running needs, unless everything is
// there: it stays so then.
// Uses Node's own modules only: it runs before anything is installed.
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install/ensure-installed.mjs';
import { npmCi } from './install/npm-ci.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  giveUp(`Tollgate needs Node 20.19 or newer; this is ${process.versions.node}.`);

if (process.platform === 'win32')
  giveUp(
    'Tollgate does not run on Windows itself: run it within WSL, https://learn.microsoft.com/windows/wsl/install.',
  );

try {
  if (!(await ensureInstalled(root, process.argv.includes('--to-run'), npmCi)))
    giveUp(
      'npm ci failed: read its message above, check that the npm registry can be reached, and run the command again.',
    );
} catch (error) {
  giveUp(`What is missing cannot be installed: ${error.message}`);
}

try {
  // By its address: to the lint of boundaries, a name in quotes makes the library one that is loaded lazily.
  await import(new URL('../libs/database/generate.mjs', import.meta.url).href);
} catch (error) {
  giveUp(error.message);
}

function giveUp(words) {
  console.error(words);
  process.exit(1);
}
