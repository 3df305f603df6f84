import { randomBytes } from 'node:crypto';

/** A random id of 32 letters and digits. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}
