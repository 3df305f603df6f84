import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Room for a database and its write-ahead log, or for a stream of usage events. */
const sizeMiB = 256;
/** What is written at a time, bytes: quickly first, and then into every corner. */
const strides = [1_048_576, 4_096];

/** A file system of its own at a folder, which can be filled. It lies in memory. */
export class SmallDisk {
  private constructor(private readonly folder: string) {}

  /**
   * At a folder that exists and is empty. Null where this process may not mount: not Linux, or not root.
   * Unmounted at the latest when this process exits.
   */
  static mount(folder: string): SmallDisk | null {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tollgate', folder]);
    if (status !== 0) return null;
    const disk = new SmallDisk(folder);
    process.once('exit', disk.unmount);
    return disk;
  }

  /** Not a byte more can be written. */
  fill(): void {
    const file = openSync(this.fillerPath, 'a');
    for (const size of strides) while (hasWritten(file, size));
    closeSync(file);
  }

  /** There is room again. */
  clear(): void {
    rmSync(this.fillerPath, { force: true });
  }

  readonly unmount = (): void => {
    process.off('exit', this.unmount);
    spawnSync('umount', ['--lazy', this.folder]);
  };

  /** It stays when this process exits. */
  keep(): void {
    process.off('exit', this.unmount);
  }

  get usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.folder);
    return (blocks - bfree) * bsize;
  }

  private get fillerPath(): string {
    return join(this.folder, 'filler');
  }
}

/** False when there was no room for it. @throws what else the system says. */
function hasWritten(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    // Not by its class: under Jest, errors of the system are of another realm.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}
