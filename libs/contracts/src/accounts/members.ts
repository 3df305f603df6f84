import { z } from 'zod';
import { accountRole } from './account-roles';
import { operation } from '../operation';
import { client, emailAddress, newPassword, opened, person, personName, throttled } from './people';
import { text } from '../text';

/**
 * Somebody of an account. `keys`: how many keys of theirs work; they stop when they are removed.
 * `hasSecondFactor`: a code or a passkey is asked of them beside the password; absent: not told.
 */
export const member = person.extend({ keys: z.number().int(), hasSecondFactor: z.boolean().optional() });
export type Member = z.infer<typeof member>;

/** An invitation that nobody has taken yet, nor time. Times are epoch milliseconds. */
export const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: accountRole,
  invitedBy: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type Invitation = z.infer<typeof invitation>;

/** How an invitation gets to somebody: by mail, or by a link that who invites hands over. */
export const invitationWay = z.enum(['mail', 'link']);

/** An account by its id or its address. */
const account = text(200);
/** `by`: the person who acts, who must be allowed to; absent: the operator. `actor`: their name for the log. */
const acting = { actor: text(200).min(1), by: z.string().optional() };
const token = z.string().min(1).max(200);

/** The people of an account, and who is to become one of them. Accounts answers. */
export const memberOperations = {
  /** All of an account, the first one first. `not_found`. */
  list: operation(
    'accounts.members.list',
    z.object({ account }),
    z.object({ people: z.array(member), invitations: z.array(invitation) }),
  ),
  /**
   * Invites an address into an account; an earlier invitation of it ends. `link` null: it was mailed, and
   * nobody else is told it. `conflict` for somebody who signs in or has an account already, and where the
   * account is not active or has too many invitations; `forbidden` for who may not.
   */
  invite: operation(
    'accounts.members.invite',
    z.object({ account, email: emailAddress, role: accountRole, way: invitationWay.default('mail'), ...acting }),
    z.object({ invitation, link: z.string().nullable() }),
  ),
  /** Its link stops working. `not_found`. */
  withdraw: operation(
    'accounts.members.withdraw',
    z.object({ account, invitationId: text(200), ...acting }),
    z.object({ invitation }),
  ),
  /** `conflict` for the last owner, and for an administrator of the gateway. */
  setRole: operation(
    'accounts.members.set-role',
    z.object({ account, personId: text(200), role: accountRole, ...acting }),
    z.object({ person }),
  ),
  /**
   * Removes somebody: their sessions end at once, and their keys stop on every edge within a second.
   * `conflict` as for setRole.
   */
  remove: operation(
    'accounts.members.remove',
    z.object({ account, personId: text(200), ...acting }),
    z.object({ person, revokedKeys: z.number().int() }),
  ),
  /** What a link invites to. `invalid` for one that does not work any more. */
  invited: operation(
    'accounts.members.invited',
    z.object({ token }),
    z.object({ accountName: z.string(), email: z.string(), role: accountRole, invitedBy: z.string() }),
  ),
  /**
   * Takes an invitation: makes the person, and signs them in. `invalid` for a link that does not work any
   * more, `conflict` as for invite.
   */
  join: operation(
    'accounts.members.join',
    z.object({ token, name: personName, password: newPassword, ...client }),
    z.discriminatedUnion('outcome', [opened, throttled]),
  ),
};
