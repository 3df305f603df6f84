import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../file-lock';
import { preparedDataFolder } from '../workspace';
import { initdbOptions } from './data-folder';
import { findPostgresBinaries } from './postgres-binaries';
import type { PostgresServer } from './postgres-server';

/** Data that a server begins with: whoever asks first makes them, and all others begin with a copy. */
export interface PreparedData {
  /** Of letters and hyphens. */
  name: string;
  /** All that they are made from: where it is another, they are made anew. */
  madeFrom: string;
  /** Fills the database of a new server that nobody else uses. */
  fill: (url: string) => Promise<unknown>;
}

/**
 * The archive of such data, kept in this clone. It is made on a server that `start` gives where it is
 * missing, and takes the place of what was made from something else.
 * @throws Error when that server cannot start or be filled.
 */
export async function preparedArchive(
  { name, madeFrom, fill }: PreparedData,
  start: () => Promise<PostgresServer>,
): Promise<string> {
  const installed = readFileSync(join(findPostgresBinaries().root, '..', 'package.json'), 'utf8');
  const digest = createHash('sha256')
    .update([installed, ...initdbOptions, madeFrom].join('\n'))
    .digest('hex');
  const folder = preparedDataFolder();
  const archive = join(folder, `${name}.${digest}.tar`);
  if (existsSync(archive)) return archive;
  mkdirSync(folder, { recursive: true });
  await withFileLock(join(folder, `${name}.lock`), async () => {
    if (existsSync(archive)) return;
    for (const former of readdirSync(folder).filter((file) => file.startsWith(`${name}.`) && !file.endsWith('.lock')))
      rmSync(join(folder, former));
    await makeArchive(archive, await start(), fill);
  });
  return archive;
}

async function makeArchive(archive: string, server: PostgresServer, fill: PreparedData['fill']): Promise<void> {
  // Of this process: after a lock was left behind, two may make it at once.
  const unfinished = `${archive}.${process.pid}.new`;
  try {
    await fill(server.url);
    await server.archive(unfinished);
    renameSync(unfinished, archive);
  } finally {
    await server.stop();
  }
}
