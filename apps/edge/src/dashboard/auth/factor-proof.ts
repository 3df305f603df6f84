import { GatewayError } from '@tollgate/contracts';
import { factorProof, passkeyAnswer } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import type { SessionCookie } from '../session-cookie';

/**
 * What somebody proves who is signed in and touches their second factor: the password, and a code or the
 * answer of a passkey (POST /api/auth/passkeys/prove asks for it). Who has none yet tells the password alone.
 */
export const proof = z.strictObject({ ...factorProof, passkey: passkeyAnswer.optional() });
type Proof = z.output<typeof proof>;

/** The proof with the challenge that the passkey of this browser was asked. @throws GatewayError 400. */
export function toProof({ passkey, ...body }: Proof, cookie: SessionCookie) {
  return passkey ? { ...body, passkey: { token: challengeOf(cookie), answer: passkey } } : body;
}

/** The challenge that a passkey of this browser was asked, once. @throws GatewayError 400 where it was none. */
export function challengeOf(cookie: SessionCookie): string {
  const token = cookie.takePasskey();
  if (token === null)
    throw new GatewayError(400, 'This took too long, or this browser asked for no passkey; try again.');
  return token;
}

/** Which of several things was wrong is not told. */
export function wrongProof({ code, passkey }: Proof): GatewayError {
  if (passkey) return new GatewayError(403, 'The password is not right, or the passkey was refused.');
  return new GatewayError(
    403,
    code === undefined ? 'The password is not right.' : 'The password or the code is not right.',
  );
}
