// Installs what is missing, or does not match the lock file, and generates the database's client when there
// is none, since programs that run from sources import it; a build generates it anew.
// `node tools/ensure-deps.mjs` installs everything; with `--to-run` what running needs, unless everything is
// there: it stays so then.
// Uses Node's own modules only: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeNotLoaded } from './install/not-loaded.mjs';
import { npmCi } from './install/npm-ci.mjs';
import { toRun } from './install/to-run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (path) => join(root, path);
const read = (path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null);
const packageLock = read('package-lock.json');
const machine = `${process.versions.modules} ${process.platform} ${process.arch}`;

/** Where npm puts everything. In its place stands a link to the lesser installation while there is no other. */
const everything = 'node_modules';
const everythingStamp = 'node_modules/.tollgate-install';
/** The lesser one, whose packages lack files: not where npm would take them for whole. */
const lesser = '.run-only';
const lesserStamp = '.run-only/.tollgate-install';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Tollgate needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const isLesser = lstatSync(at(everything), { throwIfNoEntry: false })?.isDirectory() !== true;
if (isLesser && process.argv.includes('--to-run')) await ensureLesser();
else await ensureEverything();

if (!existsSync(at('libs/database/src/generated/client.ts'))) {
  console.log('Generating the client of the database…');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['libs/database/generate.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) {
    console.error(`The database's client could not be generated:\n${stdout}${stderr}`);
    process.exit(1);
  }
}

async function ensureEverything() {
  const stamp = `${machine} ${digestOf(packageLock)}`;
  const last = isLesser ? null : read(everythingStamp);
  if (last === stamp) return;
  if (isLesser || !isInstalled(last)) {
    // npm would empty the folder behind the link.
    if (isLesser) rmSync(at(everything), { force: true });
    const isDone = await npmCi(root, 'what running, testing and building need');
    if (!isDone && existsSync(at(lesserStamp))) linkLesser();
    if (!isDone) giveUp();
    rmSync(at(lesser), { recursive: true, force: true });
  }
  writeFileSync(at(everythingStamp), stamp);
}

/** Made aside, so that what is broken off leaves nothing half done. */
async function ensureLesser() {
  const { packageFile, lockFile } = toRun(JSON.parse(read('package.json')), JSON.parse(packageLock));
  const stamp = `${machine} ${digestOf(JSON.stringify(lockFile), read('tools/install/not-loaded.mjs'))}`;
  if (read(lesserStamp) !== stamp) {
    const aside = `${lesser}.new`;
    rmSync(at(aside), { recursive: true, force: true });
    mkdirSync(at(aside));
    writeFileSync(at(`${aside}/package.json`), JSON.stringify(packageFile));
    writeFileSync(at(`${aside}/package-lock.json`), JSON.stringify(lockFile));
    writeFileSync(at(`${aside}/.npmrc`), read('.npmrc'));
    if (!(await npmCi(at(aside), 'what running needs'))) giveUp();
    console.log('  leaving out what nothing loads…');
    await removeNotLoaded(at(`${aside}/node_modules`));
    writeFileSync(at(`${aside}/.tollgate-install`), stamp);
    rmSync(at(lesserStamp), { force: true });
    rmSync(at(lesser), { recursive: true, force: true });
    renameSync(at(aside), at(lesser));
  }
  linkLesser();
}

function linkLesser() {
  rmSync(at(everything), { recursive: true, force: true });
  symlinkSync(`${lesser}/node_modules`, at(everything));
}

function giveUp() {
  console.error(
    'npm ci failed: read its message above, check that the npm registry can be reached, and run the command again.',
  );
  process.exit(1);
}

function digestOf(...texts) {
  return createHash('sha256').update(texts.join('\n')).digest('hex');
}

/**
 * True when npm left exactly the packages of the lock file, after an `npm install` say: then nothing is
 * thrown away. Packages for other platforms may be absent.
 */
function isInstalled(last) {
  const list = read('node_modules/.package-lock.json');
  // Programs inside packages fit one machine and one Node.
  if (list === null || (last !== null && !last.startsWith(machine))) return false;
  const installed = JSON.parse(list).packages;
  return Object.entries(JSON.parse(packageLock).packages).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || optional || devOptional || installed[path]?.version === version,
  );
}
