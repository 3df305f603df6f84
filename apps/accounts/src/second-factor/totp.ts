import type { Secret } from 'otpauth';

/** https://www.rfc-editor.org/rfc/rfc4226#section-4 recommends 160 bits. */
export const secretBytes = 20;
/** What every authenticator takes: https://github.com/google/google-authenticator/wiki/Key-Uri-Format. */
const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Clocks may be so many steps apart: https://www.rfc-editor.org/rfc/rfc6238#section-5.2. */
const stepsApart = 1;

/** Base32 without padding, as authenticators take secrets: https://www.rfc-editor.org/rfc/rfc4648#section-6. */
export async function toBase32(bytes: Buffer): Promise<string> {
  return (await secretOf(bytes)).base32;
}

/** The step (half minutes since 1970), around now, of which this is the code; null: of none. */
export async function stepOfCode(secret: Buffer, code: string, nowMs: number): Promise<number | null> {
  // The library takes any six characters, and throws for those that are more than six bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const { TOTP } = await load();
  const asked = { ...kind, secret: await secretOf(secret), timestamp: nowMs };
  const apart = TOTP.validate({ ...asked, token: code, window: stepsApart });
  return apart === null ? null : TOTP.counter(asked) + apart;
}

/** What authenticators read: https://github.com/google/google-authenticator/wiki/Key-Uri-Format. */
export async function enrolmentUri(secret: Buffer, issuer: string, email: string): Promise<string> {
  const { TOTP } = await load();
  return new TOTP({ ...kind, secret: await secretOf(secret), issuer, label: email }).toString();
}

async function secretOf(bytes: Buffer): Promise<Secret> {
  const { Secret } = await load();
  // A copy: a small Buffer is a part of a larger one, and the library takes the whole.
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}

/** Loaded when somebody has an authenticator: few do, and each start would pay for it. */
const load = () => import('otpauth');
