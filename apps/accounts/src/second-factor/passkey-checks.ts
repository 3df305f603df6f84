import type { NewPasskey, PasskeyAnswer } from '@tollgate/contracts/accounts';
import {
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import type { PasskeySite } from './passkey-site';

/** What a challenge was, and for whose pages. */
interface Expected {
  site: PasskeySite;
  challenge: string;
}

/** A signature that is right: how often the passkey signed, and whether it is kept outside its device, too. */
export interface CheckedAnswer {
  counter: number;
  isSynced: boolean;
}

/**
 * What a browser made of a new passkey: its credential, where it answers the challenge on a page of ours and
 * whoever made it was verified; null otherwise. What made it proves nothing of itself, and is not asked to.
 */
export async function checkNewPasskey(
  made: NewPasskey,
  { site, challenge }: Expected,
): Promise<{ credential: WebAuthnCredential; isSynced: boolean } | null> {
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...made, clientExtensionResults: {} },
      ...{ expectedChallenge: challenge, expectedOrigin: site.origin, expectedRPID: site.id },
      requireUserVerification: true,
    });
    if (!registrationInfo) return null;
    return { credential: registrationInfo.credential, isSynced: registrationInfo.credentialBackedUp };
  } catch {
    // The library throws for everything that somebody could have forged.
    return null;
  }
}

/**
 * What a passkey's signature says, where it answers the challenge on a page of ours and whoever used it was
 * verified; null otherwise. Whether the counter went on is for who keeps it.
 */
export async function checkAnswer(
  { response: { userHandle, ...response }, ...answer }: PasskeyAnswer,
  { credentialId, publicKey }: { credentialId: string; publicKey: Uint8Array },
  { site, challenge }: Expected,
): Promise<CheckedAnswer | null> {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...answer, response, clientExtensionResults: {} },
      ...{ expectedChallenge: challenge, expectedOrigin: site.origin, expectedRPID: site.id },
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: true,
    });
    if (!verified) return null;
    return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
  } catch {
    // As above.
    return null;
  }
}
