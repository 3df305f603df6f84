import { Injectable } from '@nestjs/common';
import { ControlError, type ResetLink } from '@tollgate/contracts';
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
   * Uses the token of a link up; returns whose it was, and whether only who reads their mail knew it.
   * @throws ControlError `invalid` when it is wrong, used or too old.
   */
  async consume(
    { oneTimeToken }: AccountsQueries,
    token: string,
    purpose: Purpose,
  ): Promise<{ personId: string; isMailed: boolean }> {
    const where = { digest: tokenDigest(token), purpose, expiresAt: { gt: new Date() } };
    const found = await oneTimeToken.findFirst({ where });
    // Of two that come at the same time, one deletes it.
    const used = await oneTimeToken.deleteMany({ where });
    if (!found || used.count === 0)
      throw new ControlError('invalid', 'This link does not work any more: ask for a new one.');
    return found;
  }
}
