import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** null where there is but one. Asked once: a report takes some ten milliseconds. */
const libcOfThis =
  process.platform !== 'linux' ? null : process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';

/** Long enough for few lines, short enough that nobody thinks that it hangs. */
const tellEveryMs = 5_000;

/**
 * Installs what a folder's package-lock.json names, and tells how far it is. No package needs its install
 * script, so none is run: what a package does, it does where it is used.
 * @returns whether npm said that all is well; what is wrong it has said itself.
 */
export async function npmCi(folder, what) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const paths = Object.keys(packages).filter((path) => path !== '' && fits(packages[path]));
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  console.log(`Installing ${what}: ${paths.length} packages, once…`);
  const telling = setInterval(() => {
    const there = paths.filter((path) => existsSync(join(folder, path, 'package.json'))).length;
    const done = there === 0 ? 'npm goes through the lock file' : `${there} of ${paths.length}`;
    console.log(`  ${done}, ${seconds()}`);
  }, tellEveryMs);
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress'];
  const args = ['ci', '--ignore-scripts', '--loglevel=error', '--prefix', folder, ...options];
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const child = spawn(command, [...first, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'close').finally(() => clearInterval(telling));
  if (status === 0) console.log(`  all, ${seconds()}`);
  return status === 0;
}

/** Whether npm installs a package on this machine; many are programs for one kind of machine. */
function fits({ os, cpu, libc }) {
  return allows(os, process.platform) && allows(cpu, process.arch) && allows(libc, libcOfThis);
}

/** https://docs.npmjs.com/cli/configuring-npm/package-json#os */
function allows(list, one) {
  if (!list || one === null) return true;
  return list.every((each) => each !== `!${one}`) && (list.includes(one) || list.every((each) => each[0] === '!'));
}
