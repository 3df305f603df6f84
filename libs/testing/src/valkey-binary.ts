import { copyFile, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { takeFromDebian } from './debian-packages';
import type { PackageChoice } from './debian-packages';
import { withFileLock } from './file-lock';
import { isExecutable, namedOrOnPath, runProgram } from './programs';
import { serverEnvironment } from './server-environment';
import { toolsFolder } from './workspace';

/** What a small machine may lack of the libraries that the servers are linked with. */
const libraries = ['liblzf1', 'libjemalloc2'];
/**
 * The servers are linked with the C library of their own release, so only the machine's own sources will do.
 * Debian 12 has no valkey yet.
 */
const choices: PackageChoice[] = [
  { suite: null, packages: ['valkey-server', 'valkey-tools', ...libraries] },
  { suite: null, packages: ['redis-server', 'redis-tools', ...libraries] },
];

const howToProvide =
  'No valkey-server or redis-server was found, and it could not be taken from the Debian or Ubuntu package. Install it (`apt install valkey-server`, ' +
  '`brew install valkey`, or https://valkey.io/download/), or name one with VALKEY_SERVER_BIN.';

/** A server program, and the folder that its libraries are looked for in first; null: the system's alone. */
export interface ValkeyProgram {
  readonly path: string;
  readonly libraries: string | null;
}

/**
 * Finds a server to run that speaks Valkey's protocol: `VALKEY_SERVER_BIN`, else valkey-server or
 * redis-server on PATH, else Debian's or Ubuntu's own signed package, unpacked once per clone into
 * `.tollgate/bin/valkey` (nothing is installed, no root is needed).
 * @throws Error naming the ways to provide one.
 */
export async function findValkeyServer(): Promise<ValkeyProgram> {
  const found = await namedOrOnPath('VALKEY_SERVER_BIN', ['valkey-server', 'redis-server']);
  if (found) return { path: found, libraries: null };
  const folder = join(toolsFolder(), 'valkey');
  const path = join(folder, 'valkey-server');
  await mkdir(toolsFolder(), { recursive: true });
  return withFileLock(`${folder}.lock`, async () => {
    if (!(await isExecutable(path))) await unpack(folder);
    return { path, libraries: folder };
  });
}

/** The environment in which a program finds its libraries. */
export function valkeyEnvironment({ libraries: folder }: ValkeyProgram): NodeJS.ProcessEnv {
  return serverEnvironment(folder === null ? {} : { LD_LIBRARY_PATH: folder });
}

async function unpack(target: string): Promise<void> {
  await takeFromDebian('valkey', choices, howToProvide, async (unpacked) => {
    const folder = await mkdtemp(join(dirname(target), 'valkey-new-'));
    const files = await readdir(unpacked, { recursive: true });
    const server = files.find((file) => /^usr\/bin\/(valkey|redis)-server$/.test(file));
    if (!server) throw new Error('The package holds no server program.');
    await copyFile(join(unpacked, server), join(folder, 'valkey-server'));
    for (const file of files.filter((name) => /\.so\.\d+$/.test(name)))
      await copyFile(join(unpacked, file), join(folder, basename(file)));
    await runProgram('env', [`LD_LIBRARY_PATH=${folder}`, join(folder, 'valkey-server'), '--version']);
    await rename(folder, target);
  });
}
