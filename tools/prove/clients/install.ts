import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '../../stack/workspace-root';
import type { Client } from './client';

const run = promisify(execFile);
const installTimeoutMs = 600_000;
/** The newest clients want Node 22: they get one from npm where this one is older. */
const nodeVersion = '24.21.0';
const leastNode = 22;

/** A client that could not be had: its registry or Python is out of reach. */
export class AbsentError extends Error {
  override name = 'AbsentError';
}

/** Where clients are kept from one run to the next: none of it is ever part of the product. */
const shelf = join(tmpdir(), 'tollgate-clients');

/** Packages as their registry is asked for them. `latest`: their newest versions in place of the pinned ones. */
function wanted({ packages }: Pick<Client, 'packages'>, latest: boolean): string[] {
  return latest ? packages.map((each) => each.replace(/(.)@[^@/]+$/, '$1@latest').replace(/==.*$/, '')) : [...packages];
}

/** Installs the client into a folder of its own, unless it is there already, and puts the drivers beside it. @throws AbsentError */
export async function install(client: Client, latest: boolean): Promise<string> {
  const folder = join(shelf, `${client.packages.join(' ')}${latest ? ' latest' : ''}`.replace(/[^\w.=-]+/g, '_'));
  if (latest) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    const packages = wanted(client, latest);
    // A virtual environment holds its own path: it is made where it stays.
    if (client.registry === 'PyPI') await installFromPyPI(folder, packages);
    else {
      await installFromNpm(fresh, packages);
      renameSync(fresh, folder);
    }
    rmSync(fresh, { recursive: true, force: true });
  }
  cpSync(join(workspaceRoot, 'tools/prove/clients/drivers'), folder, { recursive: true });
  return folder;
}

/** The program that runs clients from npm. @throws AbsentError */
export async function nodeForClients(): Promise<string> {
  if (Number(process.versions.node.split('.')[0]) >= leastNode) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(shelf, `node-${nodeVersion}`);
  if (!existsSync(folder)) {
    mkdirSync(`${folder}.new`, { recursive: true });
    await installFromNpm(`${folder}.new`, [`${name}@${nodeVersion}`]);
    renameSync(`${folder}.new`, folder);
  }
  return join(folder, 'node_modules', name, 'bin', 'node');
}

async function installFromNpm(folder: string, packages: string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await attempt('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder);
}

async function installFromPyPI(folder: string, packages: string[]): Promise<void> {
  try {
    await attempt('python3', ['-m', 'venv', folder], shelf);
    await attempt(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function attempt(program: string, args: string[], cwd: string): Promise<void> {
  try {
    await run(program, args, { cwd, timeout: installTimeoutMs, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new AbsentError(String(error).split('\n').slice(0, 6).join(' ').slice(0, 600));
  }
}
