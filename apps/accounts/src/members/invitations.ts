import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { AccountRole, Invitation } from '@tollgate/contracts/accounts';
import { accountOfEmail, isAddress } from '../accounts/account-rows';
import type { StoredAccount } from '../accounts/stored-account';
import { invitationMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { personOfEmail } from '../people/person-rows';
import { newSecretToken, tokenDigest } from '../people/secret-token';
import { AccountsSettings } from '../settings';
import type { AccountsQueries } from '../storage';
import { mayInvite } from './member-rules';

const validForMs = 7 * 86_400_000;
/** Open invitations that an account may have. */
const mostInvitations = 100;

/** Who is invited, by whom, and how the link gets there. `email` is a normal one (normalEmail). */
interface Wanted {
  account: StoredAccount;
  email: string;
  role: AccountRole;
  invitedBy: string;
  way: 'mail' | 'link';
}

/** An invitation as the database holds it, without its digest. */
export interface StoredInvitation extends Omit<Invitation, 'createdAt' | 'expiresAt'> {
  accountId: string;
  isMailed: boolean;
  createdAt: Date;
  expiresAt: Date;
}

/** Addresses that may join accounts. All work within `queries`. */
@Injectable()
export class Invitations {
  constructor(
    private readonly outbox: Outbox,
    private readonly settings: AccountsSettings,
  ) {}

  /**
   * Invites an address; an earlier invitation of it into this account ends. `link` null: it was mailed.
   * @throws ControlError `conflict` (somebody has the address already; too many are open).
   */
  async make(queries: AccountsQueries, wanted: Wanted): Promise<{ invitation: Invitation; link: string | null }> {
    const { account, email, role, invitedBy, way } = wanted;
    await requireFree(queries, email, account.id);
    await queries.invitation.deleteMany({ where: { accountId: account.id, email } });
    if ((await this.open(queries, account.id)).length >= mostInvitations)
      throw new ControlError('conflict', `At most ${mostInvitations} invitations may be open: withdraw one first.`);
    const token = newSecretToken();
    const createdAt = new Date();
    const stored = await queries.invitation.create({
      data: {
        ...{ id: uuidv7(), accountId: account.id, email, role, invitedBy, createdAt },
        ...{ digest: tokenDigest(token), isMailed: way === 'mail' },
        expiresAt: new Date(createdAt.getTime() + validForMs),
      },
    });
    const link = `${this.settings.people.publicUrl}/join?token=${token}`;
    if (way === 'mail') await this.outbox.add(queries, email, invitationMail(account.name, inviterOf(invitedBy), link));
    return { invitation: toInvitation(stored), link: way === 'mail' ? null : link };
  }

  /** Those of an account that nobody has taken, the newest first. */
  async open(queries: AccountsQueries, accountId: string): Promise<StoredInvitation[]> {
    const where = { accountId, expiresAt: { gt: new Date() } };
    return standing(queries, await queries.invitation.findMany({ where, orderBy: { id: 'desc' } }));
  }

  /**
   * What the token of a link invites to, and into which account.
   * @throws ControlError `invalid` when it is wrong, taken, withdrawn or too old, who made it may not invite
   * any more, or the account cannot be joined.
   */
  async ofToken(queries: AccountsQueries, token: string) {
    const found = await queries.invitation.findMany({
      where: { digest: tokenDigest(token), expiresAt: { gt: new Date() }, account: { status: 'active' } },
      include: { account: true },
    });
    const [invitation] = await standing(queries, found);
    if (invitation) return invitation;
    throw new ControlError('invalid', 'This invitation does not work any more: ask for a new one.');
  }
}

/**
 * Those whose makers could make them today: who is removed, or may less now, lets nobody in any more, not
 * even themselves under another address. What operators and tokens made stands.
 */
async function standing<One extends StoredInvitation>(
  { person }: AccountsQueries,
  invitations: readonly One[],
): Promise<One[]> {
  const email = { in: invitations.map(({ invitedBy }) => invitedBy) };
  const makers = await person.findMany({
    where: { email },
    select: { accountId: true, email: true, accountRole: true },
  });
  return invitations.filter(({ accountId, role, invitedBy }) => {
    if (!isAddress(invitedBy)) return true;
    const maker = makers.find((one) => one.email === invitedBy && one.accountId === accountId);
    return maker !== undefined && mayInvite(maker.accountRole, role);
  });
}

/**
 * Nobody is taken out of an account by an invitation into another one. Who was removed from the account that
 * has this address may come back into it.
 * @throws ControlError `conflict`.
 */
export async function requireFree(queries: AccountsQueries, email: string, accountId: string): Promise<void> {
  const named = await accountOfEmail(queries, email);
  if ((await personOfEmail(queries, email)) || (named && named.id !== accountId))
    throw new ControlError(
      'conflict',
      `${email} has an account already, and can be in one only: take another address.`,
    );
}

/**
 * Who invites, in words for whoever is invited: a person by their address. The names of commands and of
 * tokens of the admin API, such as `cli:ada`, are for the audit log.
 */
export function inviterOf(invitedBy: string): string {
  return isAddress(invitedBy) ? invitedBy : 'An administrator of this gateway';
}

export function toInvitation({ id, email, role, invitedBy, createdAt, expiresAt }: StoredInvitation): Invitation {
  return { id, email, role, invitedBy, createdAt: createdAt.getTime(), expiresAt: expiresAt.getTime() };
}
