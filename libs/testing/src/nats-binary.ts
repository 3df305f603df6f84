import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { types } from 'node:util';
import { takeFromDebian } from './debian-packages';
import type { PackageChoice } from './debian-packages';
import { withFileLock } from './file-lock';
import { byHand, natsReleaseFor, takeRelease } from './nats-release';
import type { NatsRelease } from './nats-release';
import { isExecutable, namedOrOnPath, runProgram } from './programs';
import { toolsFolder } from './workspace';

/**
 * The program is linked statically, so it runs on releases older than its own; the newer suite is preferred.
 */
const choices: PackageChoice[] = [
  { suite: 'trixie', packages: ['nats-server'] },
  { suite: null, packages: ['nats-server'] },
];

/**
 * Finds a nats-server to run: `NATS_SERVER_BIN`, else the one on PATH, else Debian's or Ubuntu's own signed
 * package, else (as on macOS) the release of its makers whose sum is known here. Both are unpacked once per
 * clone into `.tollgate/bin`: nothing is installed, no root is needed. Returns the path of the program.
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
  const release = natsReleaseFor(process.platform, process.arch);
  try {
    await takeFromDebian('nats-server', choices, 'It could not be taken from a package of Debian.', async (folder) => {
      await copyFile(await findProgram(folder), `${target}.new`);
      await rename(`${target}.new`, target);
    });
  } catch (problem) {
    await unpackRelease(release, target).catch(async (another: unknown) => {
      throw await notFound(release, [problem, another]);
    });
  }
}

async function notFound(release: NatsRelease | null, problems: readonly unknown[]): Promise<Error> {
  const hasApt = await isExecutable('/usr/bin/apt-get');
  return new Error(howToProvide(release, hasApt, problems), { cause: problems });
}

async function unpackRelease(release: NatsRelease | null, target: string): Promise<void> {
  if (!release) throw new Error('No release of its makers is known for this machine.');
  const folder = await mkdtemp(join(toolsFolder(), 'nats-server-release-'));
  try {
    await takeRelease(release, folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What somebody can do whose machine has none and could not fetch it. */
export function howToProvide(release: NatsRelease | null, hasApt: boolean, problems: readonly unknown[]): string {
  const byManager = hasApt ? ['  apt install nats-server'] : [];
  return [
    'No nats-server was found on this machine, and it could not be fetched:',
    ...problems.map((problem) => `  ${toldOf(problem)}`),
    'One of these helps; then start again:',
    ...(release?.name.includes('darwin') ? ['  brew install nats-server'] : byManager),
    ...(release ? [`  ${byHand(release, toolsFolder())}`] : ['  https://github.com/nats-io/nats-server/releases']),
    '  NATS_SERVER_BIN=<path of the program>, or NATS_URL=<address of a running server with JetStream>',
  ].join('\n');
}

/** What an error says, and what its causes begin with. */
function toldOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  const causes: unknown[] = Array.isArray(error.cause) ? error.cause : [];
  return [error.message, ...causes.map((cause) => `(${toldOf(cause).split('\n', 1).join('')})`)].join(' ');
}

async function findProgram(folder: string): Promise<string> {
  for (const place of ['usr/sbin', 'usr/bin']) {
    const path = join(folder, place, 'nats-server');
    if (await isExecutable(path)) return path;
  }
  throw new Error('The nats-server package holds no nats-server program.');
}
