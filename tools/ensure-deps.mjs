// Installs the dependencies when they are missing or do not match the lock file, and generates the database's
// client when there is none, since programs that run from sources import it; a build generates it anew.
// Uses Node's own modules only: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = `${root}node_modules/.tollgate-install`;
const lock = readFileSync(`${root}package-lock.json`);
const machine = `${process.versions.modules} ${process.platform} ${process.arch}`;
const stamp = `${machine} ${createHash('sha256').update(lock).digest('hex')}`;

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Tollgate needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

if (lastStamp() !== stamp && isInstalled()) writeFileSync(stampFile, stamp);
if (lastStamp() !== stamp) {
  console.log('Installing dependencies (once, about a minute)…');
  // No package needs its install script, so none is run: what a package does, it does where it is used.
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['ci', '--ignore-scripts', ...options];
  const npm = process.env.npm_execpath;
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error(
      'npm ci failed: read its message above, check that the npm registry can be reached, and run the command again.',
    );
    process.exit(status ?? 1);
  }
  writeFileSync(stampFile, stamp);
}

if (!existsSync(`${root}libs/database/src/generated/client.ts`)) {
  const generate = [`${root}node_modules/nx/dist/bin/nx.js`, 'run', 'database:generate', '--output-style=static'];
  const { status, stdout, stderr } = spawnSync(process.execPath, generate, { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    console.error(`The database's client could not be generated:\n${stdout}${stderr}`);
    process.exit(1);
  }
}

function lastStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : null;
}

/**
 * True when npm left exactly the packages of the lock file, after an `npm install` say: then nothing is
 * thrown away. Packages for other platforms may be absent.
 */
function isInstalled() {
  const listFile = `${root}node_modules/.package-lock.json`;
  const last = lastStamp();
  // Programs inside packages fit one machine and one Node.
  if (!existsSync(listFile) || (last !== null && !last.startsWith(machine))) return false;
  const installed = JSON.parse(readFileSync(listFile, 'utf8')).packages;
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || optional || devOptional || installed[path]?.version === version,
  );
}
