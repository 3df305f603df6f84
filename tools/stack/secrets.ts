import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A secret of this installation: read from its file, or made (256 random bits, hex) and kept there, readable
 * by its owner only.
 * Keys stay valid as long as the file is kept: the pepper in it is part of their digests.
 */
export function keptSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // wx: two starts at once cannot both make one.
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch {
    // It exists already; or it cannot be written, and then reading it says why.
  }
  return readFileSync(file, 'utf8').trim();
}
