import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7, type OpenedSession, type SignedIn } from '@tollgate/contracts';
import type { StoredAccount } from '../accounts/to-account';
import { readRevision } from '../changes/revision';
import type { Reply, Request } from '../operations';
import { readPage } from '../storage/page';
import { Storage, type AccountsQueries } from '../storage/storage';
import { isUuid } from '../storage/uuid';
import { PeopleSettings } from './people-settings';
import { toOwnAccount, toPerson, type StoredPerson } from './person';
import { newSecretToken, tokenDigest } from './secret-token';

/** When a session was used last is exact to this, so that not every request writes. */
const seenEveryMs = 60_000;

/** Signed-in browsers. Only the digest of a session's token is kept: who reads the table cannot sign in with it. */
@Injectable()
export class Sessions {
  constructor(
    private readonly storage: Storage,
    private readonly settings: PeopleSettings,
  ) {}

  /** Opens a session within `queries`. The token is told here and never again. */
  async open(queries: AccountsQueries, personId: string, userAgent: string): Promise<OpenedSession> {
    const token = newSecretToken();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + this.settings.sessionMaxMs);
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
    const signedIn = await toSignedIn(queries, session);
    return { ...signedIn, token, expiresAt: expiresAt.getTime() };
  }

  /** Who a token belongs to; null when its session ended, was too long unused or never was. Its use is noted. @throws ControlError `unavailable`. */
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
      return toSignedIn(queries, session);
    });
  }

  /** Ends the session of a token; one that is over already is no fault. */
  async close(token: string): Promise<Record<string, never>> {
    await this.storage.read((queries) => queries.session.deleteMany({ where: { digest: tokenDigest(token) } }));
    return {};
  }

  /** One page of a person's sessions that are not over. @throws ControlError `invalid` (a wrong cursor), `unavailable`. */
  list({ personId, limit, after }: Request<'listSessions'>): Promise<Reply<'listSessions'>> {
    return this.storage.read(async (queries) => {
      const { items, next } = await readPage({ limit, after }, (id, take) =>
        queries.session.findMany({ where: { personId, id, ...this.alive() }, orderBy: { id: 'desc' }, take }),
      );
      const sessions = items.map(({ id, createdAt, lastSeenAt, expiresAt, userAgent }) => ({
        id,
        createdAt: createdAt.getTime(),
        lastSeenAt: lastSeenAt.getTime(),
        expiresAt: Math.min(lastSeenAt.getTime() + this.settings.sessionIdleMs, expiresAt.getTime()),
        userAgent,
      }));
      return { sessions, next };
    });
  }

  /** @throws ControlError `not_found` when the person has no such session, `unavailable`. */
  async revoke({ personId, sessionId }: Request<'revokeSession'>): Promise<Record<string, never>> {
    const gone = isUuid(sessionId)
      ? await this.storage.read((queries) => queries.session.deleteMany({ where: { id: sessionId, personId } }))
      : { count: 0 };
    if (gone.count === 0) throw new ControlError('not_found', 'There is no such session; it may have ended already.');
    return {};
  }

  private alive() {
    const nowMs = Date.now();
    return { expiresAt: { gt: new Date(nowMs) }, lastSeenAt: { gt: new Date(nowMs - this.settings.sessionIdleMs) } };
  }
}

const withPerson = { person: { include: { account: true } } } as const;

/** A session with its person and their account, as the database holds them. */
interface StoredSession {
  id: string;
  lastSeenAt: Date;
  person: StoredPerson & { account: StoredAccount & { purpose: string } };
}

async function toSignedIn(queries: AccountsQueries, { id, person }: StoredSession): Promise<SignedIn> {
  const { plans } = await readRevision(queries);
  // A role does nothing while the account is not active.
  const role = person.account.status === 'active' ? person.role : 'user';
  return { sessionId: id, person: toPerson({ ...person, role }), account: toOwnAccount(person.account, plans) };
}
