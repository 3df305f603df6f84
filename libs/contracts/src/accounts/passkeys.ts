import { z } from 'zod';
import { operation } from '../operation';
import { client, opened, throttled } from './people';
import { answeredChallenge, factorProof } from './second-factor';
import { text, thingName } from '../text';
import { newPasskey, passkeyOptions } from './webauthn';

export const passkeyName = thingName(60);

/**
 * A passkey as its owner sees it. `lastUsedAt` null: it has not been used since it was added. `isSynced`: it
 * was kept outside its device, too, when it was used last. Times are epoch milliseconds.
 */
export const passkey = z.object({
  id: z.string(),
  name: z.string(),
  isSynced: z.boolean(),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
});

/** `token` stands for the challenge, once, for five minutes; the browser that asked for it keeps it. */
const asked = z.object({ outcome: z.literal('asked'), token: z.string(), options: passkeyOptions });
const refused = z.object({ outcome: z.literal('refused') });
const self = { personId: z.string() };

/**
 * Passkeys (WebAuthn) sign somebody in by themselves, and stand beside a password as a second factor does.
 * Each was asked to verify who uses it. Accounts answers; `conflict` where the gateway's address lets nobody
 * have any (`signInFeatures.passkeys` null), and `invalid` for a token that is unknown, used or too old.
 */
export const passkeyOperations = {
  list: operation('accounts.passkeys.list', z.object(self), z.object({ passkeys: z.array(passkey) })),
  /**
   * A challenge for a passkey that may be anybody's; for those of `personId`, or of the sign-in that the
   * right password began (`attempt`), where one is named: `conflict` where they have none. `replaces`: the
   * token of the challenge that the browser was asked before, which ends in ten seconds.
   */
  ask: operation(
    'accounts.passkeys.ask',
    z.object({
      personId: z.string().nullable(),
      attempt: z.string().max(200).nullable(),
      address: client.address,
      replaces: z.string().max(200).optional(),
    }),
    z.discriminatedUnion('outcome', [asked, throttled]),
  ),
  /** `refused` for whatever is wrong with the answer, and for a passkey that nobody has. */
  signIn: operation(
    'accounts.passkeys.sign-in',
    z.object({ ...answeredChallenge.shape, ...client }),
    z.discriminatedUnion('outcome', [opened, refused, throttled]),
  ),
  /** `conflict` for who has as many as one may have, or no password. */
  beginAdding: operation(
    'accounts.passkeys.begin-adding',
    z.object({ ...self, ...factorProof }),
    z.discriminatedUnion('outcome', [asked, refused, throttled]),
  ),
  /**
   * Adds what the browser made. The first second factor of somebody ends all their other sessions, and has
   * recovery codes, which are told here only; null: they have those already. `refused` also for one that
   * is there.
   */
  add: operation(
    'accounts.passkeys.add',
    z.object({ ...self, sessionId: z.string(), token: z.string().max(200), name: passkeyName, made: newPasskey }),
    z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('added'), passkey, recoveryCodes: z.array(z.string()).nullable() }),
      refused,
    ]),
  ),
  /** Another name for one, by which it is told alone. `not_found` for one that is not theirs. */
  rename: operation(
    'accounts.passkeys.rename',
    z.object({ ...self, passkeyId: text(200), name: passkeyName }),
    z.object({ passkey }),
  ),
  /** It signs nobody in any more. `not_found` for one that is not theirs. */
  remove: operation(
    'accounts.passkeys.remove',
    z.object({ ...self, passkeyId: text(200), ...factorProof }),
    z.discriminatedUnion('outcome', [z.object({ outcome: z.literal('removed') }), refused, throttled]),
  ),
};
