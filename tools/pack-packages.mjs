// Copies the packages that a built program needs at run time, and what those need, out of node_modules: an
// image holds nothing of another service, and of each package only what is loaded.
// Usage: node tools/pack-packages.mjs dist/apps/edge <target folder>
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isLoaded } from './install/not-loaded.mjs';

const [built, target] = process.argv.slice(2);
if (!built || !target) throw new Error('Usage: node tools/pack-packages.mjs <dist folder> <target folder>');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const installed = read('package-lock.json').packages;

/** Where Node finds a package that is named in a folder; null where it is not installed. */
function find(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
    if (folder === '.') return null;
  }
}

const packed = new Set();

/**
 * Takes a package and what it needs; of what it may do without, what is installed, but for peers: whoever
 * uses those names them.
 */
function pack(name, from, isOptional = false) {
  const path = find(name, from);
  if (path === null && !isOptional) throw new Error(`${name}, which ${from} needs, is not installed.`);
  if (path === null || packed.has(path)) return;
  packed.add(path);
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = installed[path];
  for (const needed of Object.keys(optionalDependencies ?? {})) pack(needed, path, true);
  for (const needed of Object.keys(dependencies ?? {})) pack(needed, path);
  for (const needed of Object.keys(peerDependencies ?? {}))
    if (!peerDependenciesMeta?.[needed]?.optional) pack(needed, path);
}

for (const name of read(join(built, 'packages.json'))) pack(name, '.');
for (const path of packed)
  cpSync(path, join(target, path.slice('node_modules/'.length)), {
    recursive: true,
    // Packages inside of this one are in the list themselves where they are needed.
    filter: (source) =>
      !source.startsWith(join(path, 'node_modules')) &&
      (!statSync(source).isFile() || isLoaded(relative('node_modules', source))),
  });
console.log(`${built}: ${packed.size} packages`);
