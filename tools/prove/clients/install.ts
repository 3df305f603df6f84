import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { workspaceRoot } from '../../stack/workspace-root';
import type { Client } from './client';

const run = promisify(execFile);
const installTimeoutMs = 600_000;
/** How much is told of a program that installs, when it fails. */
const toldLetters = 600;
/** The newest clients want Node 22: they get one from npm where this one is older. */
const nodeVersion = '24.21.0';
const leastNode = 22;

/** What the driver of a client for Go is built to. */
export const goProgram = 'play';

/** A client that could not be had: its registry, Python or Go is out of reach. */
export class AbsentError extends Error {
  override name = 'AbsentError';
}

/**
 * Where clients are kept from one run to the next, for nobody but this user: none of it is ever part of the
 * product.
 */
const shelf = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tollgate-clients');

/**
 * Packages as their registry is asked for them. `latest`: their newest versions in place of the pinned ones.
 */
function wanted({ packages }: Pick<Client, 'packages'>, latest: boolean): string[] {
  return latest ? packages.map((each) => each.replace(/(.)@[^@/]+$/, '$1@latest').replace(/==.*$/, '')) : [...packages];
}

/**
 * Installs the client into a folder of its own, unless it is there already, and puts the drivers beside it.
 * @throws AbsentError
 */
export async function install(client: Client, latest: boolean): Promise<string> {
  const folder = await installPackages(client, latest);
  cpSync(join(workspaceRoot, 'tools/prove/clients/drivers'), folder, { recursive: true });
  // Unchanged, it comes from Go's own cache.
  if (client.registry === 'Go') await attempt('go', ['build', '-o', goProgram, '.'], folder);
  return folder;
}

/** Installs packages into a folder of their own, unless they are there already. @throws AbsentError */
export async function installPackages(client: Pick<Client, 'packages' | 'registry'>, latest = false): Promise<string> {
  const name = `${client.packages.join(' ')}${latest ? ' latest' : ''}`;
  if (latest) rmSync(placeOf(name), { recursive: true, force: true });
  const fill = { npm: installFromNpm, PyPI: installFromPyPI, Go: installFromGo }[client.registry];
  return shelve(name, (folder) => fill(folder, wanted(client, latest)));
}

/** The program that runs clients from npm. @throws AbsentError */
export async function nodeForClients(): Promise<string> {
  if (Number(process.versions.node.split('.')[0]) >= leastNode) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await shelve(`node-${nodeVersion}`, (place) => installFromNpm(place, [`${name}@${nodeVersion}`]));
  return join(folder, 'node_modules', name, 'bin', 'node');
}

/**
 * The folder of this name on the shelf, filled unless it is full: the mark of a full one is written last.
 * @throws what `fill` throws
 */
export async function shelve(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = placeOf(name);
  const mark = join(folder, '.installed');
  if (existsSync(mark)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await fill(folder);
  writeFileSync(mark, '');
  return folder;
}

function placeOf(name: string): string {
  return join(shelf, name.replace(/[^\w.=-]+/g, '_'));
}

/** Packages of npm, as `name@version`, in a folder of their own. @throws AbsentError */
export async function installFromNpm(folder: string, packages: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await attempt('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder);
  for (const each of packages) checkVersion(folder, each);
}

/**
 * A registry may give another version than the one that was asked for, which would be judged under its name.
 */
function checkVersion(folder: string, wanted: string): void {
  const [, name = '', version = ''] = /^(.+)@([^@]+)$/.exec(wanted) ?? [];
  const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  const { version: installed } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
  if (version !== 'latest' && installed !== version)
    throw new AbsentError(`${wanted} was asked for, and ${installed} came.`);
}

/**
 * Packages in a Python of their own. `alone`: those that come without what they say they need.
 * @throws AbsentError
 */
export async function installFromPyPI(
  folder: string,
  packages: readonly string[],
  { alone = [], timeoutMs }: { alone?: readonly string[]; timeoutMs?: number } = {},
): Promise<void> {
  const pip = join(folder, 'bin/pip');
  const options = ['install', '--quiet', '--disable-pip-version-check'];
  await attempt('python3', ['-m', 'venv', folder], folder);
  await attempt(pip, [...options, ...packages], folder, { timeoutMs });
  if (alone.length > 0) await attempt(pip, [...options, '--no-deps', ...alone], folder, { timeoutMs });
}

async function installFromGo(folder: string, packages: readonly string[]): Promise<void> {
  await attempt('go', ['mod', 'init', 'driver'], folder);
  await attempt('go', ['get', ...packages], folder);
}

/**
 * Runs a program that installs.
 * @throws AbsentError with the beginning of what it said, when it fails or takes longer
 */
export async function attempt(
  program: string,
  args: readonly string[],
  cwd: string,
  { timeoutMs = installTimeoutMs, environment = {} }: { timeoutMs?: number; environment?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const env = { ...process.env, ...environment };
  try {
    await run(program, args, { cwd, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, env });
  } catch (error) {
    throw new AbsentError(String(error).split('\n').slice(0, 6).join(' ').slice(0, toldLetters));
  }
}
