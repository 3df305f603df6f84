import { Injectable } from '@nestjs/common';
import { uuidv7 } from '@tollgate/contracts';
import { isStopped, type OpenedSession, type SignedIn } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { toOwnAccount, type StoredAccount } from '../accounts/stored-account';
import { readRevision } from '../keys/revision';
import type { Reply } from '../operations';
import { SecondFactors } from '../second-factor/second-factors';
import { AccountsSettings } from '../settings';
import { readPage, Storage, type AccountsQueries, type Page, type PageWish } from '../storage';
import { toPerson, type StoredPerson } from './stored-person';
import { newSecretToken, tokenDigest } from './secret-token';

type SessionSummary = Reply<'listSessions'>['sessions'][number];

/** When a session was used last is exact to this, so that not every request writes. */
const seenEveryMs = 60_000;

/**
 * Signed-in browsers. Only the digest of a session's token is kept: who reads the table cannot sign in with
 * it.
 */
@Injectable()
export class Sessions {
  constructor(
    private readonly storage: Storage,
    private readonly settings: AccountsSettings,
    private readonly factors: SecondFactors,
  ) {}

  /** Opens a session within `queries`. The token is told here and never again. */
  async open(queries: AccountsQueries, personId: string, userAgent: string): Promise<OpenedSession> {
    const token = newSecretToken();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + this.settings.people.sessionMaxMs);
    const session = await queries.session.create({
      data: {
        id: uuidv7(),
        digest: tokenDigest(token),
        personId,
        userAgent,
        createdAt: now,
        lastSeenAt: now,
        expiresAt,
      },
      include: withPerson,
    });
    const signedIn = await this.toSignedIn(queries, session);
    return { ...signedIn, token, expiresAt: expiresAt.getTime() };
  }

  /**
   * Who a token belongs to; null when its session ended, was too long unused or never was. Its use is noted.
   * @throws ControlError `unavailable`.
   */
  resolve(token: string): Promise<SignedIn | null> {
    return this.storage.read(async (queries) => {
      const session = await queries.session.findFirst({
        where: { digest: tokenDigest(token), ...this.alive() },
        include: withPerson,
      });
      if (!session) return null;
      const { id, lastSeenAt } = session;
      const now = new Date();
      if (now.getTime() - lastSeenAt.getTime() >= seenEveryMs)
        await queries.session.updateMany({ where: { id }, data: { lastSeenAt: now } });
      return this.toSignedIn(queries, session);
    });
  }

  /**
   * Ends the session of a token; one that is over already is no fault.
   * @throws ControlError `unavailable`.
   */
  async close(token: string): Promise<void> {
    await this.storage.read(({ session }) => session.deleteMany({ where: { digest: tokenDigest(token) } }));
  }

  /** Ends a session of a person; false when they have no such session. @throws ControlError `unavailable`. */
  async end(personId: string, id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    return (await this.storage.read(({ session }) => session.deleteMany({ where: { id, personId } }))).count > 0;
  }

  /**
   * One page of a person's sessions that are not over, as people see them.
   * @throws ControlError `invalid` (a wrong cursor), `unavailable`.
   */
  async page(personId: string, wish: PageWish): Promise<Page<SessionSummary>> {
    const { items, next } = await this.storage.read(({ session }) =>
      readPage(wish, ({ id, ...page }) => session.findMany({ where: { personId, id, ...this.alive() }, ...page })),
    );
    const told = items.map(({ id, createdAt, lastSeenAt, expiresAt, userAgent }) => ({
      id,
      createdAt: createdAt.getTime(),
      lastSeenAt: lastSeenAt.getTime(),
      expiresAt: Math.min(lastSeenAt.getTime() + this.settings.people.sessionIdleMs, expiresAt.getTime()),
      userAgent,
    }));
    return { items: told, next };
  }

  private async toSignedIn(queries: AccountsQueries, { id, person }: StoredSession): Promise<SignedIn> {
    const { plans } = await readRevision(queries);
    const acting = { ...person, ...rolesOf(person) };
    return {
      ...{ sessionId: id, person: toPerson(acting), account: toOwnAccount(person.account, plans) },
      needsSecondFactor: await this.needsSecondFactor(queries, acting),
    };
  }

  /** Who has no password is asked for more by their OpenID provider. */
  private async needsSecondFactor(
    queries: AccountsQueries,
    { id, role, passwordHash }: Pick<StoredPerson, 'id' | 'role' | 'passwordHash'>,
  ): Promise<boolean> {
    const { secondFactorRequired: required } = this.settings.people;
    if (required === null || passwordHash === null) return false;
    if (required === 'administrators' && role !== 'administrator') return false;
    return !(await this.factors.isEnabled(queries, id));
  }

  private alive() {
    const nowMs = Date.now();
    return {
      expiresAt: { gt: new Date(nowMs) },
      lastSeenAt: { gt: new Date(nowMs - this.settings.people.sessionIdleMs) },
    };
  }
}

const withPerson = { person: { include: { account: true } } } as const;

/** A session with its person and their account, as the database holds them. */
interface StoredSession {
  id: string;
  lastSeenAt: Date;
  person: StoredPerson & { account: StoredAccount & { purpose: string } };
}

/**
 * What somebody may do now. A role in the gateway does nothing while the account is not active, and who is of
 * one that was stopped sees what it owes, as billing does.
 */
function rolesOf({ role, accountRole, account: { status } }: StoredSession['person']) {
  return {
    role: status === 'active' ? role : ('user' as const),
    accountRole: isStopped(status) ? ('billing' as const) : accountRole,
  };
}
