// What the lock file promises to whoever installs from it, checked without a registry:
// - `npm ci` refuses a lock file that names an optional package which it does not hold; `npm install` writes
//   such files when the registry lacks a platform's package;
// - every package has the digest that npm checks what it gets against, and none is bound to one registry;
// - no package runs a script at its installation that nobody allowed or forbade by name (allowScripts in
//   package.json).
// `node tools/checks/lock-file.mjs [folder]`, the checkout by default.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const { packages } = read('package-lock.json');
const { allowScripts = {} } = read('package.json');

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const paths = Object.keys(packages);
const present = new Set(paths.map(nameOf));
const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);

const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => !present.has(name))
    .map((name) => `${path || 'package.json'} names ${name}, which the lock file does not hold`),
);
const hosts = Object.entries(packages).flatMap(([path, { resolved }]) =>
  resolved?.startsWith('http') ? [`${path} is bound to one registry: ${resolved}`] : [],
);
const unchecked = installed.flatMap(([path, { integrity = '' }]) =>
  /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ? [] : [`${path} has no SHA-512 digest`],
);
const scripts = installed.flatMap(([path, { hasInstallScript }]) =>
  hasInstallScript && !(nameOf(path) in allowScripts)
    ? [`${path} runs a script at its installation: read it, then allow or forbid it in allowScripts of package.json`]
    : [],
);
const allowed = Object.entries(allowScripts).flatMap(([name, isAllowed]) =>
  isAllowed && !present.has(name) ? [`allowScripts allows ${name}, which is not installed`] : [],
);

const problems = [...missing, ...hosts, ...unchecked, ...scripts, ...allowed];
for (const problem of problems) console.error(problem);
if (missing.length) console.error('Pin a version of the package whose platform packages all exist, and install again.');
if (problems.length) process.exit(1);
console.log(`package-lock.json: ${paths.length} packages, complete, each with its digest and no unknown script.`);
