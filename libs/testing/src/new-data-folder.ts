import { mkdtempSync, readdirSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './postgres/process-family';

/** Linux's folder of files in memory: https://docs.kernel.org/filesystems/tmpfs.html */
const memory = '/dev/shm';
/** Of tmpfs, as statfs tells it: https://man7.org/linux/man-pages/man2/statfs.2.html */
const typeOfTmpfs = 0x01021994;
/** All test files of a run together have some hundred megabytes there at once. */
const enoughBytes = 4 * 2 ** 30;
const ofTests = 'tollgate-test-';

/**
 * Makes a folder for the data of a test's servers. A database is 1,600 files, which take a disk that others
 * use, too, as long as all else of its start; so they are kept in memory, where there is room for them.
 * Whoever makes it removes it, and what is left there of processes that were killed goes with the next one.
 * Elsewhere than in a test it is on the disk: figures that are measured are of one.
 */
export function newDataFolder(name: string, roomBytes = enoughBytes): string {
  const isInMemory = process.env['JEST_WORKER_ID'] !== undefined && hasRoom(roomBytes);
  if (isInMemory) removeLeftovers();
  return mkdtempSync(join(isInMemory ? memory : realpathSync(tmpdir()), `${ofTests}${process.pid}-${name}-`));
}

function hasRoom(roomBytes: number): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    return type === typeOfTmpfs && bavail * bsize >= roomBytes && process.availableMemory() >= roomBytes;
  } catch {
    return false;
  }
}

function removeLeftovers(): void {
  for (const folder of readdirSync(memory)) {
    const [, pid] = new RegExp(`^${ofTests}(\\d+)-`).exec(folder) ?? [];
    if (pid && !isRunning(Number(pid))) rmSync(join(memory, folder), { recursive: true, force: true });
  }
}
