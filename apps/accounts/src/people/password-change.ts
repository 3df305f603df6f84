import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { Passwords } from './passwords';
import { Sessions } from './sessions';
import { Throttle } from './throttle';

const freeTries = 5;

/** Lets people change their password. */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly storage: Storage,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Sets the password `next`. All sessions end; the one that asks goes on under a new token.
   * @throws ControlError `forbidden` (`current` is wrong), `invalid` (the new password), `not_found`, `unavailable`.
   */
  async change({ personId, current, next, userAgent }: Request<'changePassword'>): Promise<Reply<'changePassword'>> {
    const subject = `password:${personId}`;
    const retryAfterS = await this.throttle.take({ subject, free: freeTries });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const person = await this.storage.read((queries) => queries.person.findUnique({ where: { id: personId } }));
    if (!person) throw new ControlError('not_found', 'There is no such person.');
    if (!(await this.passwords.matches(current, person.passwordHash)))
      throw new ControlError('forbidden', 'The current password is not right.');
    const passwordHash = await this.passwords.hash(next, person.email);
    await this.throttle.forgive(subject);
    const session = await this.storage.transaction(async (queries) => {
      await queries.person.update({ where: { id: personId }, data: { passwordHash } });
      await queries.session.deleteMany({ where: { personId } });
      await queries.oneTimeToken.deleteMany({ where: { personId, purpose: 'reset' } });
      return this.sessions.open(queries, personId, userAgent);
    });
    return { outcome: 'opened', session };
  }
}
