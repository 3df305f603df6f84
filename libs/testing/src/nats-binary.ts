import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { withFileLock } from './file-lock';
import { toolsFolder } from './workspace';

const keyrings = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp'];

/**
 * Finds a nats-server to run: `NATS_SERVER_BIN`, else the one on PATH, else Debian's or Ubuntu's own signed package, unpacked once per clone into
 * `.tollgate/bin` (nothing is installed, no root is needed). Returns the path of the program.
 * @throws Error naming the ways to provide one.
 */
export async function findNatsServer(): Promise<string> {
  const named = process.env.NATS_SERVER_BIN;
  if (named) {
    if (await isExecutable(named)) return named;
    throw new Error(`NATS_SERVER_BIN names ${named}, which is not a program that can be run here.`);
  }
  const onPath = await findOnPath('nats-server');
  if (onPath) return onPath;
  const unpacked = join(toolsFolder(), 'nats-server');
  await mkdir(toolsFolder(), { recursive: true });
  return withFileLock(`${unpacked}.lock`, async () => {
    if (!(await isExecutable(unpacked))) await unpackPackage(unpacked);
    return unpacked;
  });
}

/** The version of a nats-server program as [major, minor]. */
export async function natsServerVersion(program: string): Promise<[number, number]> {
  const text = await run(program, ['--version']);
  const match = /v(\d+)\.(\d+)/.exec(text);
  if (!match) throw new Error(`${program} --version said ${JSON.stringify(text)}, which names no version.`);
  return [Number(match[1]), Number(match[2])];
}

async function unpackPackage(target: string): Promise<void> {
  const folder = await mkdtemp(join(toolsFolder(), 'nats-server-package-'));
  try {
    const problems: unknown[] = [];
    for (const sources of [await trixieSources(folder), []]) {
      if (!sources) continue;
      try {
        await downloadPackage(folder, sources);
        await copyFile(await findProgram(join(folder, 'unpacked')), `${target}.new`);
        await rename(`${target}.new`, target);
        return;
      } catch (error) {
        problems.push(error);
      }
    }
    throw new Error(howToProvide, { cause: problems });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const howToProvide =
  'No nats-server was found, and it could not be taken from the Debian or Ubuntu package. Install it (`apt install nats-server`, `brew install nats-server`, ' +
  'or https://github.com/nats-io/nats-server/releases), name one with NATS_SERVER_BIN, or use a running server (with JetStream) by setting NATS_URL.';

/** apt options for Debian's stable suite, whose nats-server is newer than that of older releases. Null where the machine is no Debian. */
async function trixieSources(folder: string): Promise<string[] | null> {
  const sites = await run('apt-get', ['indextargets', '--format', '$(SITE)']).catch(() => '');
  const site = sites.split('\n').find((line) => /\/debian\/?$/.test(line.trim()));
  const keyring = (await Promise.all(keyrings.map(async (path) => ((await isReadable(path)) ? [path] : [])))).flat()[0];
  if (!site || !keyring) return null;
  const list = join(folder, 'sources.list');
  await writeFile(list, `deb [signed-by=${keyring}] ${site.trim()} trixie main\n`);
  return ['-o', `Dir::Etc::sourcelist=${list}`, '-o', 'Dir::Etc::sourceparts=-'];
}

/** Fetches the package (apt checks its signature) with private lists and cache, and unpacks it into `<folder>/unpacked`. */
async function downloadPackage(folder: string, sources: string[]): Promise<void> {
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const options = ['-q', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`, ...sources];
  // As root, apt would download as a user of its own, who cannot write into these folders.
  if (process.getuid?.() === 0) options.push('-o', 'APT::Sandbox::User=root');
  await run('apt-get', [...options, 'update'], folder);
  await run('apt-get', [...options, 'download', 'nats-server'], folder);
  const file = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (!file) throw new Error('apt-get download left no package.');
  await run('dpkg-deb', ['-x', join(folder, file), join(folder, 'unpacked')], folder);
}

async function findProgram(folder: string): Promise<string> {
  for (const place of ['usr/sbin', 'usr/bin']) {
    const path = join(folder, place, 'nats-server');
    if (await isExecutable(path)) return path;
  }
  throw new Error('The nats-server package holds no nats-server program.');
}

async function findOnPath(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** Runs a program to its end and returns what it wrote to standard output. */
async function run(program: string, args: string[], cwd?: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${errors.trim()}`);
  return output;
}
