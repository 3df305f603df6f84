import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { randomBytes } from 'node:crypto';
import { secondFactorMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { newSecretToken, tokenDigest } from '../people/secret-token';
import type { StoredPerson } from '../people/stored-person';
import { keyUnder, openText, sealText } from '@tollgate/sealing';
import { AccountsSettings } from '../settings';
import type { AccountsQueries } from '../storage';
import { replaceRecoveryCodes, takeRecoveryCode } from './recovery-codes';
import { enrolmentUri, secretBytes, stepOfCode, toBase32 } from './totp';

const attemptMs = 300_000;

interface StoredFactor {
  personId: string;
  sealedSecret: string;
  enabledAt: Date | null;
  lastStep: bigint;
}

/**
 * The second factors of people, within a transaction each. Secrets are sealed under the pepper, so that the
 * database alone makes no code; one that was sealed under a former pepper is sealed anew when it is used.
 */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly settings: AccountsSettings,
    private readonly outbox: Outbox,
  ) {}

  /** Whether a code or a passkey is asked for beside the password. */
  async isEnabled({ secondFactor, passkey }: AccountsQueries, personId: string): Promise<boolean> {
    if ((await passkey.count({ where: { personId } })) > 0) return true;
    return (await secondFactor.count({ where: { personId, enabledAt: { not: null } } })) > 0;
  }

  /**
   * A secret that counts for nothing yet, in the place of another such.
   * @throws ControlError `conflict` where there is an authenticator.
   */
  async begin(queries: AccountsQueries, { id: personId, email }: StoredPerson) {
    const { secondFactor } = queries;
    await this.requireNone(queries, personId);
    await secondFactor.deleteMany({ where: { personId } });
    const secret = randomBytes(secretBytes);
    const sealedSecret = this.seal(personId, secret);
    await secondFactor.create({ data: { personId, sealedSecret, createdAt: new Date() } });
    const { host } = new URL(this.settings.people.publicUrl);
    return { secret: await toBase32(secret), uri: await enrolmentUri(secret, host, email) };
  }

  /** @throws ControlError `conflict` where there is an authenticator. */
  async requireNone({ secondFactor }: AccountsQueries, personId: string): Promise<void> {
    if ((await secondFactor.count({ where: { personId, enabledAt: { not: null } } })) > 0)
      throw new ControlError('conflict', 'You have an authenticator already: remove it first.');
  }

  /**
   * Asks for it from now on, once a code proves that an authenticator has the secret. Returns recovery codes;
   * null: the code is wrong.
   * @throws ControlError `conflict` where none was begun.
   */
  async enable(queries: AccountsQueries, person: StoredPerson, code: string): Promise<string[] | null> {
    const factor = await queries.secondFactor.findUnique({ where: { personId: person.id } });
    if (!factor || factor.enabledAt !== null)
      throw new ControlError('conflict', 'No second factor was begun, or it is there already.');
    if (!(await this.takeTimedCode(queries, factor, code))) return null;
    await queries.secondFactor.update({ where: { personId: person.id }, data: { enabledAt: new Date() } });
    await this.outbox.add(queries, person.email, secondFactorMail(person.name, 'enabled'));
    return replaceRecoveryCodes(queries, person.id);
  }

  /**
   * Uses a code up, be it timed or for recovery; false: it is wrong, or was used, or there is no
   * authenticator that could have shown it.
   * @throws ControlError `conflict` where the pepper was changed.
   */
  async take(queries: AccountsQueries, person: StoredPerson, code: string): Promise<boolean> {
    const compact = code.replaceAll(/[\s-]/g, '');
    if (/^\d{6}$/.test(compact)) {
      const factor = await queries.secondFactor.findUnique({ where: { personId: person.id } });
      return factor !== null && factor.enabledAt !== null && this.takeTimedCode(queries, factor, compact);
    }
    if (!(await takeRecoveryCode(queries, person.id, compact))) return false;
    await this.outbox.add(queries, person.email, secondFactorMail(person.name, 'recovery-code-used'));
    return true;
  }

  /** Takes the authenticator from somebody. @throws ControlError `conflict` where there is none. */
  async remove(queries: AccountsQueries, person: StoredPerson): Promise<void> {
    const where = { personId: person.id, enabledAt: { not: null } };
    const { count } = await queries.secondFactor.deleteMany({ where });
    if (count === 0) throw new ControlError('conflict', 'There is no authenticator.');
    await this.afterRemoval(queries, person, 'authenticator-removed');
  }

  /** Takes authenticator and passkeys from somebody. @throws ControlError `conflict` where there is none. */
  async removeAll(queries: AccountsQueries, person: StoredPerson): Promise<void> {
    const where = { personId: person.id };
    const { count } = await queries.secondFactor.deleteMany({ where: { ...where, enabledAt: { not: null } } });
    const passkeys = await queries.passkey.deleteMany({ where });
    if (count + passkeys.count === 0) throw new ControlError('conflict', `${person.email} has no second factor.`);
    await this.afterRemoval(queries, person, 'authenticator-removed');
  }

  /**
   * Writes to somebody that a factor of theirs is gone. Where it was the last one, recovery codes and
   * sign-ins that want a code go, too. `which`: what a passkey was called.
   */
  async afterRemoval(
    queries: AccountsQueries,
    { id: personId, name, email }: StoredPerson,
    news: 'authenticator-removed' | 'passkey-removed',
    which?: string,
  ): Promise<void> {
    const hasAnother = await this.isEnabled(queries, personId);
    await this.outbox.add(queries, email, secondFactorMail(name, hasAnother ? news : 'removed', which));
    if (hasAnother) return;
    await queries.recoveryCode.deleteMany({ where: { personId } });
    await queries.secondFactorAttempt.deleteMany({ where: { personId } });
  }

  /** Begins a sign-in that a code ends; its token is told here only. */
  async beginSignIn({ secondFactorAttempt }: AccountsQueries, personId: string): Promise<string> {
    const token = newSecretToken();
    const expiresAt = new Date(Date.now() + attemptMs);
    await secondFactorAttempt.create({ data: { digest: tokenDigest(token), personId, expiresAt } });
    return token;
  }

  /** Who began a sign-in with the right password. @throws ControlError `invalid` (unknown or too old). */
  async personOfSignIn({ secondFactorAttempt }: AccountsQueries, token: string): Promise<string> {
    const attempt = await secondFactorAttempt.findFirst({ where: begunBy(token) });
    if (!attempt) throw tooOld();
    return attempt.personId;
  }

  /** Ends that sign-in, once. @throws ControlError `invalid` where another ended it. */
  async endSignIn({ secondFactorAttempt }: AccountsQueries, token: string): Promise<void> {
    if ((await secondFactorAttempt.deleteMany({ where: begunBy(token) })).count === 0) throw tooOld();
  }

  /** Each step once, also of two who tell its code at the same time. */
  private async takeTimedCode(
    { secondFactor }: AccountsQueries,
    { personId, sealedSecret }: StoredFactor,
    code: string,
  ): Promise<boolean> {
    const secret = this.open(personId, sealedSecret);
    const step = await stepOfCode(secret, code, Date.now());
    if (step === null) return false;
    const { count } = await secondFactor.updateMany({
      where: { personId, lastStep: { lt: BigInt(step) } },
      data: { lastStep: BigInt(step), sealedSecret: this.seal(personId, secret) },
    });
    return count > 0;
  }

  private seal(personId: string, secret: Buffer): string {
    return sealText(this.keyOf(this.settings.keyPepper, personId), secret.toString('base64'));
  }

  /** @throws ControlError `conflict` when it was sealed under a pepper that nobody names any more. */
  private open(personId: string, sealed: string): Buffer {
    for (const pepper of [this.settings.keyPepper, ...this.settings.formerPeppers])
      try {
        return Buffer.from(openText(this.keyOf(pepper, personId), sealed), 'base64');
      } catch {
        // Under another one.
      }
    throw new ControlError(
      'conflict',
      'The pepper of this gateway was changed: take a recovery code, or ask for help.',
    );
  }

  private keyOf(pepper: string, personId: string): Buffer {
    return keyUnder(pepper, `tollgate second factor of ${personId}`);
  }
}

const begunBy = (token: string) => ({ digest: tokenDigest(token), expiresAt: { gt: new Date() } });

function tooOld(): ControlError {
  return new ControlError('invalid', 'This sign-in took too long: begin again with your password.');
}
