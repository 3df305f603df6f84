import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { takeFromDebian } from './debian-packages';
import type { PackageChoice } from './debian-packages';
import { withFileLock } from './file-lock';
import { isExecutable, namedOrOnPath, runProgram } from './programs';
import { toolsFolder } from './workspace';

/**
 * The program is linked statically, so it runs on releases older than its own; the newer suite is preferred.
 */
const choices: PackageChoice[] = [
  { suite: 'trixie', packages: ['nats-server'] },
  { suite: null, packages: ['nats-server'] },
];

const howToProvide =
  'No nats-server was found, and it could not be taken from the Debian or Ubuntu package. Install it (`apt install nats-server`, `brew install nats-server`, ' +
  'or https://github.com/nats-io/nats-server/releases), name one with NATS_SERVER_BIN, or use a running server (with JetStream) by setting NATS_URL.';

/**
 * Finds a nats-server to run: `NATS_SERVER_BIN`, else the one on PATH, else Debian's or Ubuntu's own signed
 * package, unpacked once per clone into `.tollgate/bin` (nothing is installed, no root is needed). Returns
 * the path of the program.
 * @throws Error naming the ways to provide one.
 */
export async function findNatsServer(): Promise<string> {
  const found = await namedOrOnPath('NATS_SERVER_BIN', ['nats-server']);
  if (found) return found;
  const unpacked = join(toolsFolder(), 'nats-server');
  await mkdir(toolsFolder(), { recursive: true });
  return withFileLock(`${unpacked}.lock`, async () => {
    if (!(await isExecutable(unpacked))) await unpack(unpacked);
    return unpacked;
  });
}

/** The version of a nats-server program as [major, minor]. */
export async function natsServerVersion(program: string): Promise<[number, number]> {
  const text = await runProgram(program, ['--version']);
  const match = /v(\d+)\.(\d+)/.exec(text);
  if (!match) throw new Error(`${program} --version said ${JSON.stringify(text)}, which names no version.`);
  return [Number(match[1]), Number(match[2])];
}

async function unpack(target: string): Promise<void> {
  await takeFromDebian('nats-server', choices, howToProvide, async (folder) => {
    await copyFile(await findProgram(folder), `${target}.new`);
    await rename(`${target}.new`, target);
  });
}

async function findProgram(folder: string): Promise<string> {
  for (const place of ['usr/sbin', 'usr/bin']) {
    const path = join(folder, place, 'nats-server');
    if (await isExecutable(path)) return path;
  }
  throw new Error('The nats-server package holds no nats-server program.');
}
