import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a running server says of itself in its lock file, or null when there is none.
 * Line 1 is the process id, line 8 the state: https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/utils/pidfile.h
 */
export function readPostmasterFile(dataFolder: string): { pid: number; ready: boolean } | null {
  const file = join(dataFolder, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  return { pid: Number(lines[0]), ready: lines[7]?.trim() === 'ready' };
}
