import { Injectable } from '@nestjs/common';
import { uuidv7, type OpenedSession } from '@tollgate/contracts';
import { normalEmail } from '../accounts/find-account';
import { resetLetter } from '../mail/letters';
import { Outbox } from '../mail/outbox';
import type { Request } from '../operations';
import { Storage, type AccountsQueries } from '../storage/storage';
import { OneTimeTokens } from './one-time-tokens';
import { Passwords } from './passwords';
import { PeopleSettings } from './people-settings';
import type { StoredPerson } from './person';
import { Sessions } from './sessions';
import { networkOf, Throttle } from './throttle';

const freeMailsOfEmail = 3;
const freeMailsOfNetwork = 20;

/** Lets people who forgot their password set a new one, by a mailed link. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly storage: Storage,
    private readonly throttle: Throttle,
    private readonly tokens: OneTimeTokens,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly outbox: Outbox,
    private readonly settings: PeopleSettings,
  ) {}

  /** Mails a link, if there is somebody; who asks too often gets no mail. Neither is told apart. @throws ControlError `unavailable`. */
  async forgot({ email, address }: Request<'forgot'>): Promise<Record<string, never>> {
    const recipient = normalEmail(email);
    const waitS = await this.throttle.take(
      { subject: `forgot:${networkOf(address)}`, free: freeMailsOfNetwork },
      { subject: `forgot:${recipient}`, free: freeMailsOfEmail },
    );
    if (waitS !== null) return {};
    await this.storage.transaction(async (queries) => {
      const person = await personFor(queries, recipient);
      if (!person) return;
      const token = await this.tokens.issue(queries, person.id, 'reset');
      const link = `${this.settings.publicUrl}/reset?token=${token}`;
      await this.outbox.add(queries, recipient, resetLetter(person.name, link));
    });
    return {};
  }

  /**
   * Who has the link has the address: it counts as verified. All sessions end, and one begins.
   * @throws ControlError `invalid` (the link does not work any more, the password), `unavailable`.
   */
  async reset({ token, password, userAgent }: Request<'reset'>): Promise<OpenedSession> {
    // A password that is refused brings the link back.
    return this.storage.transaction(async (queries) => {
      const id = await this.tokens.consume(queries, token, 'reset');
      const { email, emailVerifiedAt } = await queries.person.findUniqueOrThrow({ where: { id } });
      const passwordHash = await this.passwords.hash(password, email);
      const data = { passwordHash, emailVerifiedAt: emailVerifiedAt ?? new Date() };
      await queries.person.update({ where: { id }, data });
      await queries.session.deleteMany({ where: { personId: id } });
      await queries.throttle.deleteMany({ where: { subject: `sign-in:${email}` } });
      return this.sessions.open(queries, id, userAgent);
    });
  }
}

/** An account that nobody signs in for yet gets its person here: only who reads its mail can set the password. */
async function personFor(queries: AccountsQueries, email: string): Promise<StoredPerson | null> {
  const person = await queries.person.findUnique({ where: { email } });
  if (person) return person;
  const account = await queries.account.findUnique({ where: { email } });
  if (!account?.email.includes('@')) return null;
  await queries.person.createMany({
    data: [{ id: uuidv7(), accountId: account.id, email, name: account.name }],
    skipDuplicates: true,
  });
  return queries.person.findUnique({ where: { email } });
}
