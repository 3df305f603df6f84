import { createHmac, timingSafeEqual } from 'node:crypto';

/** https://www.rfc-editor.org/rfc/rfc4226#section-4 recommends 160 bits. */
export const secretBytes = 20;
const digits = 6;
const stepS = 30;
/** Clocks may be so many steps apart: https://www.rfc-editor.org/rfc/rfc6238#section-5.2. */
const stepsApart = 1;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding, as authenticators take secrets: https://www.rfc-editor.org/rfc/rfc4648#section-6. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}

/** The number of half minutes since 1970. */
export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / 1_000 / stepS);
}

/** The code of a step: https://www.rfc-editor.org/rfc/rfc4226#section-5.3. */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step, around now, of which this is the code; null: of none. Each is compared, whichever is right. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const now = stepAt(nowMs);
  let found: number | null = null;
  for (let step = now - stepsApart; step <= now + stepsApart; step++)
    if (timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code))) found = step;
  return found;
}

/** What authenticators read: https://github.com/google/google-authenticator/wiki/Key-Uri-Format. */
export function enrolmentUri(secret: Buffer, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const parameters = [`secret=${toBase32(secret)}`, `issuer=${encodeURIComponent(issuer)}`];
  return `otpauth://totp/${label}?${parameters.join('&')}&algorithm=SHA1&digits=${digits}&period=${stepS}`;
}
