import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { ResetLink } from '@tollgate/contracts/accounts';
import { resetMail, verificationMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { AccountsSettings } from '../settings';
import type { AccountsQueries } from '../storage';
import { newSecretToken, tokenDigest } from './secret-token';

const links = {
  verify: { validForMs: 48 * 3_600_000, text: verificationMail },
  reset: { validForMs: 3_600_000, text: resetMail },
};
type Purpose = keyof typeof links;
type Found = { personId: string; isMailed: boolean };

/** A link that is handed over by a person has to reach the other one. */
const handedForMs = 24 * 3_600_000;

/** Links that work once. */
@Injectable()
export class OneTimeLinks {
  constructor(
    private readonly outbox: Outbox,
    private readonly settings: AccountsSettings,
  ) {}

  /** Mails a link within `queries`; earlier ones for the same purpose stop working. */
  async mail(
    queries: AccountsQueries,
    { id: personId, name, email }: { id: string; name: string; email: string },
    purpose: Purpose,
  ): Promise<void> {
    const { validForMs, text } = links[purpose];
    // Without a mail server operators read what is written, and hand it over.
    const isMailed = this.settings.people.smtp !== null;
    const { link } = await this.make(queries, personId, { purpose, validForMs, isMailed });
    await this.outbox.add(queries, email, text(name, link));
  }

  /**
   * Makes a link by which a password can be set, for somebody who hands it over; earlier ones stop working.
   */
  async handOver(queries: AccountsQueries, { id, email }: { id: string; email: string }): Promise<ResetLink> {
    return { email, ...(await this.make(queries, id, { purpose: 'reset', validForMs: handedForMs, isMailed: false })) };
  }

  private async make(
    { oneTimeToken }: AccountsQueries,
    personId: string,
    { purpose, validForMs, isMailed }: { purpose: Purpose; validForMs: number; isMailed: boolean },
  ): Promise<Omit<ResetLink, 'email'>> {
    const token = newSecretToken();
    const expiresAt = Date.now() + validForMs;
    await oneTimeToken.deleteMany({ where: { personId, purpose } });
    await oneTimeToken.create({
      data: { digest: tokenDigest(token), personId, purpose, isMailed, expiresAt: new Date(expiresAt) },
    });
    return { link: `${this.settings.people.publicUrl}/${purpose}?token=${token}`, expiresAt };
  }

  /**
   * Whose the token of a link is, and whether only who reads their mail knows it.
   * @throws ControlError `invalid` when it is wrong, used or too old.
   */
  async find({ oneTimeToken }: AccountsQueries, token: string, purpose: Purpose): Promise<Found> {
    const found = await oneTimeToken.findFirst({ where: stillWorking(token, purpose) });
    if (!found) throw tooOld();
    return found;
  }

  /** Uses the token of a link up. @throws ControlError as `find`. */
  async consume(queries: AccountsQueries, token: string, purpose: Purpose): Promise<Found> {
    const found = await this.find(queries, token, purpose);
    // Of two that come at the same time, one deletes it.
    const { count } = await queries.oneTimeToken.deleteMany({ where: stillWorking(token, purpose) });
    if (count === 0) throw tooOld();
    return found;
  }
}

const stillWorking = (token: string, purpose: Purpose) => ({
  ...{ digest: tokenDigest(token), purpose, expiresAt: { gt: new Date() } },
});

const tooOld = () => new ControlError('invalid', 'This link does not work any more: ask for a new one.');
