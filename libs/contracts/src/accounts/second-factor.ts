import { z } from 'zod';
import { operation } from '../operation';
import { client, opened, person, throttled, typedPassword } from './people';
import { text } from '../text';
import { passkeyAnswer } from './webauthn';

/** Six digits of an authenticator, or a recovery code, with whatever stands between their parts. */
export const secondFactorCode = text(64).trim().min(6);

/**
 * Since when somebody has a second factor (epoch milliseconds; null: they have none), and how many recovery
 * codes are left.
 */
export const secondFactorState = z.object({
  enabledAt: z.number().nullable(),
  recoveryCodes: z.number().int(),
});

/** A secret for an authenticator, told once: as people type it (Base32), and as programs take it. */
const enrolment = z.object({ secret: z.string(), uri: z.string() });
/** Each is used once. They are told here only. */
const recoveryCodes = z.array(z.string());

/** The answer of a passkey, with the token of the challenge that it was asked for. */
export const answeredChallenge = z.object({ token: z.string().max(200), answer: passkeyAnswer });

/**
 * What somebody proves who is signed in and touches a second factor: the password, and a factor that they
 * have, which is a code or a passkey. Who has none yet tells the password alone.
 */
export const factorProof = {
  password: typedPassword,
  code: secondFactorCode.optional(),
  passkey: answeredChallenge.optional(),
};

const self = { personId: z.string() };
const refused = z.object({ outcome: z.literal('refused') });

/**
 * A second factor beside the password: a time-based one-time password (RFC 6238); passkeys are another, see
 * `passkeyOperations`. Accounts answers. Every operation that takes a code or a password counts tries, and is
 * `throttled` then; `refused` does not say which of several things was wrong.
 */
export const secondFactorOperations = {
  state: operation('accounts.second-factor.state', z.object(self), secondFactorState),
  /**
   * Makes a secret, which counts for nothing until a code of it is told. `refused`: the password is wrong, or
   * there is none, or a passkey of theirs did not answer beside it. `conflict` where there is one already.
   */
  begin: operation(
    'accounts.second-factor.begin',
    z.object({ ...self, ...factorProof }),
    z.discriminatedUnion('outcome', [enrolment.extend({ outcome: z.literal('begun') }), refused, throttled]),
  ),
  /** From now on it is asked for. All sessions but the one that asks end. `conflict` where none was begun. */
  confirm: operation(
    'accounts.second-factor.confirm',
    z.object({ ...self, sessionId: z.string(), code: secondFactorCode }),
    z.discriminatedUnion('outcome', [z.object({ outcome: z.literal('enabled'), recoveryCodes }), refused, throttled]),
  ),
  /** Ten new ones in the place of all others. `conflict` where there is no second factor, passkeys included. */
  renewRecoveryCodes: operation(
    'accounts.second-factor.renew-recovery-codes',
    z.object({ ...self, ...factorProof }),
    z.discriminatedUnion('outcome', [z.object({ outcome: z.literal('renewed'), recoveryCodes }), refused, throttled]),
  ),
  /** It is not asked for any more; passkeys are, where there are some. `conflict` where there is none. */
  remove: operation(
    'accounts.second-factor.remove',
    z.object({ ...self, ...factorProof }),
    z.discriminatedUnion('outcome', [z.object({ outcome: z.literal('removed') }), refused, throttled]),
  ),
  /**
   * Ends a sign-in that the right password began (`token`, see signIn). `invalid` for one that is unknown or
   * too old.
   */
  finish: operation(
    'accounts.second-factor.finish',
    z.object({ token: z.string().max(200), code: secondFactorCode, ...client }),
    z.discriminatedUnion('outcome', [opened, refused, throttled]),
  ),
  /**
   * Takes the second factor and all passkeys from somebody who lost them, for an administrator who knows
   * them: the password alone signs them in until they set up another. Their sessions end. `by`: the person
   * of the account who acts, who must be allowed to; absent: the operator. `not_found` (no such person, or
   * none in the account), `forbidden`, `conflict` where there is none, for `by` themselves, who prove it
   * first, and by the account for administrators of the gateway.
   */
  reset: operation(
    'accounts.second-factor.reset',
    z.object({ account: text(200), personId: text(200), actor: text(200).min(1), by: z.string().optional() }),
    z.object({ person }),
  ),
};
