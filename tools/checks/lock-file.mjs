// `npm ci` refuses a lock file that names an optional package which it does not hold; `npm install` writes such files when the registry lacks
// a platform's package. This finds it before a newcomer does.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lock = JSON.parse(readFileSync(fileURLToPath(new URL('../../package-lock.json', import.meta.url)), 'utf8'));
const paths = Object.keys(lock.packages);
const present = new Set(paths.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)));

const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => !present.has(name))
    .map((name) => `${path || 'package.json'} names ${name}, which the lock file does not hold`),
);
const hosts = Object.entries(lock.packages).flatMap(([path, { resolved }]) =>
  resolved?.startsWith('http') ? [`${path} is bound to one registry: ${resolved}`] : [],
);

const problems = [...missing, ...hosts];
for (const problem of problems) console.error(problem);
if (problems.length) {
  console.error('Pin a version of the package whose platform packages all exist, and install again.');
  process.exit(1);
}
console.log(`package-lock.json: ${paths.length} packages, complete.`);
