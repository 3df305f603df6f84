import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A key for one purpose, which follows from the pepper of keys: the database alone gives nothing away. */
export function keyUnderPepper(pepper: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', purpose, 32));
}

/** Seals a text for the database, in base64. */
export function sealText(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** @throws Error when it was sealed with another key. */
export function openText(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const end = bytes.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]).toString();
}
