import { hash } from 'node:crypto';

/** A name as sums and leases of a budget that each name has alone know it: its SHA-256, in hexadecimal. */
export function digestOfName(name: string): string {
  return hash('sha256', name, 'hex');
}
