import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeNotLoaded } from './not-loaded.mjs';
import { toRun } from './to-run.mjs';

// Everything is in `node_modules`, where npm puts it. An installation of what running needs, whose packages
// lack files, is where npm does not take it for whole: `.run-only/<key>/node_modules`. To it `node_modules`
// is a link then. The key tells what it was made of.
// Each is made aside, in `.run-only/new-<process>`, and put in its place whole. One from which a stack runs
// is left alone (`in-use.ts`).
const store = '.run-only';
/** Among the packages: whoever empties a folder of them, as `npm ci` does, takes the stamp away, too. */
const stampName = 'node_modules/.tollgate-install';
const machine = `${process.versions.modules} ${process.platform} ${process.arch}`;

/**
 * Installs what is missing of everything, or with `isToRun` of what running needs. Who has everything keeps
 * it.
 * @param install runs `npm ci` in a folder, and tells whether it went well.
 * @returns whether all is there now.
 */
export async function ensureInstalled(root, isToRun, install) {
  const isThere = isToRun && isLesser(root) ? await ensureLesser(root, install) : await ensureEverything(root, install);
  if (isThere) removeUnused(root);
  return isThere;
}

/** True where nothing is installed, or our link stands. A link of somebody's own is for him to fill. */
function isLesser(root) {
  const there = lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false });
  return there === undefined || linkedKey(root) !== null;
}

/** Of the installation that `node_modules` is a link to; null: it is none. */
function linkedKey(root) {
  const path = join(root, 'node_modules');
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return null;
  const [folder, key] = readlinkSync(path).split('/');
  return folder === store ? key : null;
}

async function ensureEverything(root, install) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = `${machine} ${digestOf(lock)}`;
  const what = 'what running, testing and building need';
  if (!isLesser(root)) {
    const stampFile = join(root, stampName);
    const last = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : null;
    if (last === stamp) return true;
    if (!isInstalled(root, last, JSON.parse(lock)) && !(await install(root, what))) return false;
    writeFileSync(stampFile, stamp);
    return true;
  }
  const aside = makeAside(root, readFileSync(join(root, 'package.json')), lock);
  const isDone = await install(aside, what);
  if (isDone) {
    writeFileSync(join(aside, stampName), stamp);
    const isThere = () => !isLesser(root);
    // rmSync follows a link to a folder in some versions of Node: https://github.com/nodejs/node/issues/61020
    const clear = () => linkedKey(root) !== null && unlinkSync(join(root, 'node_modules'));
    move(join(aside, 'node_modules'), join(root, 'node_modules'), isThere, clear);
  }
  rmSync(aside, { recursive: true, force: true });
  return isDone;
}

async function ensureLesser(root, install) {
  const [packageText, lockText] = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(root, name)));
  const { packageFile, lockFile } = toRun(JSON.parse(packageText), JSON.parse(lockText));
  const lock = JSON.stringify(lockFile);
  const rule = readFileSync(new URL('not-loaded.mjs', import.meta.url));
  const key = digestOf(machine, lock, rule).slice(0, 16);
  const place = join(root, store, key);
  const isThere = () => existsSync(join(place, stampName));
  if (!isThere()) {
    const aside = makeAside(root, JSON.stringify(packageFile), lock);
    const isDone = await install(aside, 'what running needs');
    if (isDone) {
      console.log('  leaving out what nothing loads…');
      await removeNotLoaded(join(aside, 'node_modules'));
      writeFileSync(join(aside, stampName), key);
      // npm may have emptied the one that is there.
      move(aside, place, isThere, () => rmSync(place, { recursive: true, force: true }));
    }
    rmSync(aside, { recursive: true, force: true });
    if (!isDone) return false;
  }
  if (linkedKey(root) !== key) {
    const link = join(root, store, `link-${process.pid}`);
    symlinkSync(`${store}/${key}/node_modules`, link);
    renameSync(link, join(root, 'node_modules'));
  }
  return true;
}

/** Puts a folder in its place, which is cleared first. Somebody else may be faster, and is left alone. */
function move(folder, place, isThere, clear) {
  try {
    if (isThere()) return;
    clear();
    renameSync(folder, place);
  } catch (error) {
    if (!isThere()) throw error;
  }
}

/** A folder for `npm ci` that has the project's settings of npm. */
function makeAside(root, packageText, lockText) {
  const aside = join(root, store, `new-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  writeFileSync(join(aside, 'package.json'), packageText);
  writeFileSync(join(aside, 'package-lock.json'), lockText);
  if (existsSync(join(root, '.npmrc'))) writeFileSync(join(aside, '.npmrc'), readFileSync(join(root, '.npmrc')));
  return aside;
}

/** Removes installations that are neither linked nor used, and what was broken off. */
function removeUnused(root) {
  if (!existsSync(join(root, store))) return;
  const linked = linkedKey(root);
  for (const name of readdirSync(join(root, store))) {
    const [, maker] = /^(?:new|link)-(\d+)$/.exec(name) ?? [];
    const marks = join(root, store, name, 'in-use');
    const users = maker ? [maker] : existsSync(marks) ? readdirSync(marks) : [];
    if (name !== linked && !users.some((pid) => isAlive(Number(pid))))
      rmSync(join(root, store, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function digestOf(...texts) {
  const digest = createHash('sha256');
  for (const text of texts) digest.update(text);
  return digest.digest('hex');
}

/**
 * True when npm left exactly the packages of the lock file, after an `npm install` say: then nothing is
 * thrown away. Packages for other platforms may be absent.
 */
function isInstalled(root, last, { packages }) {
  const list = join(root, 'node_modules/.package-lock.json');
  // Programs inside packages fit one machine and one Node.
  if (!existsSync(list) || (last !== null && !last.startsWith(machine))) return false;
  const installed = JSON.parse(readFileSync(list, 'utf8')).packages;
  return Object.entries(packages).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || optional || devOptional || installed[path]?.version === version,
  );
}
