import { hash } from './hash';

/** What a thought or a call of this text is signed with: who changes the text breaks the seal. */
export function sealOf(text: string): string {
  return Buffer.from(`sandbox:${hash(text).toString(36)}`).toString('base64');
}

/** True for what `sealOf` made, of whatever text. */
export function isSeal(value: unknown): boolean {
  return typeof value === 'string' && /^sandbox:[0-9a-z]+$/.test(Buffer.from(value, 'base64').toString());
}

const redactedPrefix = 'sandbox-redacted:';

/** A thought that is given without its text. */
export function redacted(text: string): string {
  return Buffer.from(`${redactedPrefix}${hash(text).toString(36)}`).toString('base64');
}

/** True for what `redacted` made. */
export function isRedacted(data: unknown): boolean {
  return typeof data === 'string' && Buffer.from(data, 'base64').toString().startsWith(redactedPrefix);
}
