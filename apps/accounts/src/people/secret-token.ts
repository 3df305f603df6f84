import { createHash, randomBytes } from 'node:crypto';

/** A token that nobody can guess: 256 random bits. It is told once; what is kept is its digest. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * SHA-256, in hex. A token has more bits than can be tried, so that the digest needs neither salt nor time.
 */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
