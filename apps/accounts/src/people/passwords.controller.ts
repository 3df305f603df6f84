import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { normalEmail } from '../accounts/account-rows';
import { Changes, type Change } from '../keys/changes';
import { firstProofMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import type { Reply, Request } from '../operations';
import { SecondFactors } from '../second-factor/second-factors';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { OneTimeLinks } from './one-time-links';
import { Passwords } from './passwords';
import { findPerson, forgetProofs, personForMail, replacePassword, verifyAddress } from './person-rows';
import { Sessions } from './sessions';
import type { StoredPerson } from './stored-person';
import { networkOf, Throttle } from './throttle';

const freeTries = 5;
const freeMailsOfEmail = 3;
const freeMailsOfNetwork = 20;

/** The operations on passwords. All throw ControlError `unavailable` when the database is away. */
@Controller()
export class PasswordsController {
  constructor(
    private readonly storage: Storage,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly links: OneTimeLinks,
    private readonly factors: SecondFactors,
    private readonly changes: Changes,
    private readonly outbox: Outbox,
    private readonly settings: AccountsSettings,
  ) {}

  /**
   * Sets the password `next`. All sessions end; the one that asks goes on under a new token.
   * @throws ControlError `forbidden` (`current` is wrong), `invalid` (the new password), `not_found`.
   */
  @Serve(peopleOperations.changePassword)
  async change({ personId, current, next, userAgent }: Request<'changePassword'>): Promise<Reply<'changePassword'>> {
    const subject = `password:${personId}`;
    const retryAfterS = await this.throttle.take({ subject, free: freeTries });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const person = await this.storage.read((queries) => findPerson(queries, personId));
    if (!(await this.passwords.matches(current, person.passwordHash)))
      throw new ControlError('forbidden', 'The current password is not right.');
    const passwordHash = await this.passwords.hash(next, person.email);
    await this.throttle.forgive(subject);
    const session = await this.storage.transaction(async (queries) => {
      await replacePassword(queries, personId, passwordHash);
      return this.sessions.open(queries, personId, userAgent);
    });
    return { outcome: 'opened', session };
  }

  /**
   * Mails a link by which a new password can be set, if there is somebody; who asks too often gets no mail.
   * Neither is told apart.
   */
  @Serve(peopleOperations.forgot)
  async forgot({ email, address }: Request<'forgot'>): Promise<Reply<'forgot'>> {
    const recipient = normalEmail(email);
    const waitS = await this.throttle.take(
      { subject: `forgot from ${networkOf(address)}`, free: freeMailsOfNetwork },
      { subject: `forgot:${recipient}`, free: freeMailsOfEmail },
    );
    if (waitS !== null) return {};
    await this.storage.transaction(async (queries) => {
      const person = await personForMail(queries, recipient);
      if (person) await this.links.mail(queries, person, 'reset');
    });
    return {};
  }

  /**
   * Who has the link has the address: it counts as verified. All sessions end, and one begins, once a second
   * factor is told where there is one: the link is not both.
   * @throws ControlError `invalid` (the link does not work any more, the password).
   */
  @Serve(peopleOperations.reset)
  async reset({ token, password, userAgent }: Request<'reset'>): Promise<Reply<'reset'>> {
    // Hashed before changes wait for this one, and only for who has a link, which a refused password leaves.
    const { email } = await this.storage.read(async (queries) =>
      findPerson(queries, (await this.links.find(queries, token, 'reset')).personId),
    );
    const passwordHash = await this.passwords.hash(password, email);
    // As a change, after which no factor comes that was on its way.
    return this.changes.commit(async (change) => {
      const { transaction: queries } = change;
      const { personId: id, isMailed } = await this.links.consume(queries, token, 'reset');
      const person = await findPerson(queries, id);
      if (isMailed && person.emailVerifiedAt === null) await this.proveFirst(change, person);
      await replacePassword(queries, id, passwordHash);
      await verifyAddress(queries, id);
      await queries.throttle.deleteMany({ where: { subject: `sign-in:${email}` } });
      if (await this.factors.isEnabled(queries, id))
        return { outcome: 'second-factor', token: await this.factors.beginSignIn(queries, id) };
      return this.sessions.open(queries, id, userAgent);
    });
  }

  /**
   * Whoever set something up before an address was proven may be a stranger to it: what they could sign in by
   * is gone. Keys of theirs go on, as programs may use them; whose the address is is written to of both.
   */
  private async proveFirst(change: Change, person: StoredPerson): Promise<void> {
    const { transaction: queries } = change;
    const { id: personId, accountId, email, name } = person;
    const hadFactor = await this.factors.isEnabled(queries, personId);
    const keys = await queries.apiKey.count({ where: { personId, status: 'active' } });
    await forgetProofs(queries, person);
    if (hadFactor) await change.audit({ actor: email, action: 'second-factor-reset', accountId, detail: { email } });
    if (!hadFactor && keys === 0) return;
    const told = { hadFactor, keys, where: `${this.settings.people.publicUrl}/keys` };
    await this.outbox.add(queries, email, firstProofMail(name, told));
  }
}
