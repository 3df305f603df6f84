import { Controller } from '@nestjs/common';
import { ControlError, peopleOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { normalEmail } from '../accounts/account-rows';
import type { Reply, Request } from '../operations';
import { SecondFactors } from '../second-factor/second-factors';
import { Storage } from '../storage';
import { OneTimeLinks } from './one-time-links';
import { Passwords } from './passwords';
import { findPerson, forgetProofs, personForMail, replacePassword, verifyAddress } from './person-rows';
import { Sessions } from './sessions';
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
   * factor is told where there is one: the link is not both. Where a mailed link is the first proof of the
   * address, whoever set something up before it may be a stranger to it, and all of that is gone.
   * @throws ControlError `invalid` (the link does not work any more, the password).
   */
  @Serve(peopleOperations.reset)
  async reset({ token, password, userAgent }: Request<'reset'>): Promise<Reply<'reset'>> {
    // A password that is refused brings the link back.
    return this.storage.transaction(async (queries) => {
      const { personId: id, isMailed } = await this.links.consume(queries, token, 'reset');
      const person = await findPerson(queries, id);
      const { email, emailVerifiedAt } = person;
      if (isMailed && emailVerifiedAt === null) await forgetProofs(queries, person);
      await replacePassword(queries, id, await this.passwords.hash(password, email));
      await verifyAddress(queries, id);
      await queries.throttle.deleteMany({ where: { subject: `sign-in:${email}` } });
      if (await this.factors.isEnabled(queries, id))
        return { outcome: 'second-factor', token: await this.factors.beginSignIn(queries, id) };
      return this.sessions.open(queries, id, userAgent);
    });
  }
}
