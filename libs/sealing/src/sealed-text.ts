import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * A key for one purpose (32 bytes), which follows from a secret of the environment: the database alone gives
 * nothing away.
 */
export function keyUnder(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Seals a text for the database, in base64; `about` is needed to open it, and is no secret. */
export function sealText(key: Buffer, text: string, about = ''): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** @throws Error when it was sealed with another key, or about something else. */
export function openText(key: Buffer, sealed: string, about = ''): string {
  const bytes = Buffer.from(sealed, 'base64');
  const end = bytes.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]).toString();
}
