import { Injectable } from '@nestjs/common';
import { verificationLetter } from '../mail/letters';
import { Outbox } from '../mail/outbox';
import type { Request } from '../operations';
import { Storage, type AccountsQueries } from '../storage/storage';
import { OneTimeTokens } from './one-time-tokens';
import { PeopleSettings } from './people-settings';
import { Throttle } from './throttle';

const freeMails = 3;

/** Lets people prove that an address is theirs. */
@Injectable()
export class EmailVerification {
  constructor(
    private readonly storage: Storage,
    private readonly tokens: OneTimeTokens,
    private readonly outbox: Outbox,
    private readonly throttle: Throttle,
    private readonly settings: PeopleSettings,
  ) {}

  /** Writes the mail with the link, within `queries`. */
  async mail(
    queries: AccountsQueries,
    { id, name, email }: { id: string; name: string; email: string },
  ): Promise<void> {
    const token = await this.tokens.issue(queries, id, 'verify');
    const link = `${this.settings.publicUrl}/verify?token=${token}`;
    await this.outbox.add(queries, email, verificationLetter(name, link));
  }

  /** Mails the link again, unless the address is verified or too many were mailed of late. @throws ControlError `unavailable`. */
  async send({ personId }: Request<'sendVerification'>): Promise<Record<string, never>> {
    if ((await this.throttle.take({ subject: `verify:${personId}`, free: freeMails })) !== null) return {};
    await this.storage.transaction(async (queries) => {
      const person = await queries.person.findUnique({ where: { id: personId } });
      if (person?.emailVerifiedAt === null) await this.mail(queries, person);
    });
    return {};
  }

  /** @throws ControlError `invalid` for a link that does not work any more, `unavailable`. */
  async verify({ token }: Request<'verifyEmail'>): Promise<Record<string, never>> {
    await this.storage.transaction(async (queries) => {
      const id = await this.tokens.consume(queries, token, 'verify');
      await queries.person.updateMany({ where: { id, emailVerifiedAt: null }, data: { emailVerifiedAt: new Date() } });
    });
    return {};
  }
}
