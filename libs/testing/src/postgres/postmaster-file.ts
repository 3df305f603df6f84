import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a running server says of itself in its lock file, or null when there is none.
 * Line 1 is the process id, line 8 the state:
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/utils/pidfile.h
 */
export function readPostmasterFile(dataFolder: string): { pid: number; ready: boolean } | null {
  const lines = textOf(join(dataFolder, 'postmaster.pid'))?.split('\n');
  return lines ? { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' } : null;
}

/**
 * Null: there is no such file, or not any more: a server that starts after a crash takes away the old one.
 */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
