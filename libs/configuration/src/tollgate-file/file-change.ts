import { stat } from 'node:fs/promises';

/**
 * Notices that a file was written or replaced, by looking at it; that works on every file system, mounted
 * ones too.
 */
export class FileChange {
  private seen: string;

  private constructor(
    private readonly path: string,
    first: string,
  ) {
    this.seen = first;
  }

  /** Remembers the file as it is now. */
  static async watch(path: string): Promise<FileChange> {
    return new FileChange(path, await fingerprint(path));
  }

  /**
   * True when the file is another than at the last look. A file that is away is as it was: editors replace
   * files.
   */
  async happened(): Promise<boolean> {
    const now = await fingerprint(this.path);
    if (now === '' || now === this.seen) return false;
    this.seen = now;
    return true;
  }
}

async function fingerprint(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}
