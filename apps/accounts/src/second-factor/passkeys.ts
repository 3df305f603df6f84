import { generateAuthenticationOptions, generateRegistrationOptions } from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { NewPasskey, PasskeyAnswer } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { secondFactorMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { newSecretToken, tokenDigest } from '../people/secret-token';
import type { StoredPerson } from '../people/stored-person';
import { AccountsSettings } from '../settings';
import type { AccountsQueries } from '../storage';
import { checkAnswer, checkNewPasskey, type CheckedAnswer } from './passkey-checks';
import { passkeySite, type PasskeySite } from './passkey-site';
import { toTransports, type StoredPasskey } from './stored-passkey';

/** How long somebody may look for their key, as browsers are told, too. */
const challengeMs = 300_000;
/** One in whose place its browser has another: its answer may be on the way. */
const replacedMs = 10_000;
const mostOfPerson = 20;
/** Challenges that nobody answered, of one network: an office may be one. */
const mostOfNetwork = 300;

/** A challenge as it was asked; `options` are for the browser. */
interface Asked {
  token: string;
  options: { challenge: string };
}

/**
 * The passkeys of people, within a transaction each. A challenge is taken once, whatever is answered to it,
 * unless what it was for throws: then nothing was done.
 */
@Injectable()
export class Passkeys {
  constructor(
    private readonly settings: AccountsSettings,
    private readonly outbox: Outbox,
  ) {}

  list({ passkey }: AccountsQueries, personId: string): Promise<StoredPasskey[]> {
    return passkey.findMany({ where: { personId }, orderBy: { id: 'asc' } });
  }

  /**
   * How long a network waits until it may be asked again, seconds: it has as many challenges that nobody
   * answered as one may, besides the one of the token `replaces`. Null: it may be asked, and that one ends.
   */
  async waitS({ passkeyChallenge }: AccountsQueries, network: string, replaces = ''): Promise<number | null> {
    const digest = tokenDigest(replaces);
    const open = { network, expiresAt: { gt: new Date() }, digest: { not: digest } };
    if ((await passkeyChallenge.count({ where: open })) < mostOfNetwork) {
      const expiresAt = new Date(Date.now() + replacedMs);
      await passkeyChallenge.updateMany({ where: { digest, expiresAt: { gt: expiresAt } }, data: { expiresAt } });
      return null;
    }
    const first = await passkeyChallenge.findFirst({ where: open, orderBy: { expiresAt: 'asc' } });
    return Math.max(1, Math.ceil(((first?.expiresAt.getTime() ?? 0) - Date.now()) / 1_000));
  }

  /**
   * Asks for a passkey of somebody; `personId` null: of anybody.
   * @throws ControlError `conflict` where they have none, or nobody can have any.
   */
  async ask(queries: AccountsQueries, personId: string | null, network: string): Promise<Asked> {
    const site = this.site();
    const known = personId === null ? [] : await this.list(queries, personId);
    if (personId !== null && known.length === 0) throw new ControlError('conflict', 'You have no passkey here.');
    const options = await generateAuthenticationOptions({
      rpID: site.id,
      userVerification: 'required',
      timeout: challengeMs,
      allowCredentials: known.map((one) => ({ id: one.credentialId, transports: toTransports(one) })),
    });
    return this.keep(queries, { personId, isAdding: false, network }, options);
  }

  /**
   * Whose passkey answered right; null: it is not known here, is not of `personId` (null: may be anybody's),
   * or whatever else is wrong. Who has one that seems to be a copy is written to.
   * @throws ControlError `invalid` for a challenge that is unknown, taken or too old.
   */
  async take(
    queries: AccountsQueries,
    { token, answer }: { token: string; answer: PasskeyAnswer },
    personId: string | null,
  ): Promise<StoredPasskey | null> {
    const asked = await this.takeChallenge(queries, token, false);
    const passkey = await queries.passkey.findUnique({ where: { credentialId: answer.id } });
    if (!passkey || !isOf(passkey, asked.personId) || !isOf(passkey, personId) || !saysSo(answer, passkey)) return null;
    const checked = await checkAnswer(answer, passkey, { site: this.site(), challenge: asked.challenge });
    if (!checked) return null;
    return (await this.wentOn(queries, passkey, checked)) ? passkey : null;
  }

  /** @throws ControlError `conflict` for who has as many as one may, or where nobody can have any. */
  async beginAdding(queries: AccountsQueries, { id: personId, name, email }: StoredPerson): Promise<Asked> {
    const site = this.site();
    const known = await this.list(queries, personId);
    if (known.length >= mostOfPerson)
      throw new ControlError('conflict', `You have ${mostOfPerson} passkeys: remove one first.`);
    const options = await generateRegistrationOptions({
      ...{ rpName: site.id, rpID: site.id, userID: handleOf(personId), userName: email, userDisplayName: name },
      ...{ timeout: challengeMs, attestationType: 'none' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: known.map((one) => ({ id: one.credentialId, transports: toTransports(one) })),
    });
    return this.keep(queries, { personId, isAdding: true, network: null }, options);
  }

  /**
   * Adds what a browser made for somebody, within a change, which are made one after the other; null: it does
   * not answer the challenge that they were asked, is there already, or is one too many.
   * @throws ControlError `invalid` as `take`.
   */
  async add(
    queries: AccountsQueries,
    { id: personId, name: personName, email }: StoredPerson,
    { token, name, made }: { token: string; name: string; made: NewPasskey },
  ): Promise<StoredPasskey | null> {
    const asked = await this.takeChallenge(queries, token, true);
    if (asked.personId !== personId) return null;
    const checked = await checkNewPasskey(made, { site: this.site(), challenge: asked.challenge });
    if (!checked) return null;
    const { id: credentialId, publicKey, counter, transports = [] } = checked.credential;
    if ((await queries.passkey.count({ where: { personId } })) >= mostOfPerson) return null;
    if ((await queries.passkey.count({ where: { credentialId } })) > 0) return null;
    const stored = { credentialId, publicKey, counter: BigInt(counter), transports, isSynced: checked.isSynced };
    await this.outbox.add(queries, email, secondFactorMail(personName, 'passkey-added', name));
    return queries.passkey.create({ data: { id: uuidv7(), personId, name, createdAt: new Date(), ...stored } });
  }

  /** One of somebody. @throws ControlError `not_found` for one that is not theirs. */
  async find({ passkey }: AccountsQueries, personId: string, id: string): Promise<StoredPasskey> {
    const found = isUuid(id) ? await passkey.findFirst({ where: { id, personId } }) : null;
    if (found) return found;
    throw new ControlError('not_found', 'You have no such passkey; it may have been removed already.');
  }

  /** @throws ControlError as `find`. */
  async remove(queries: AccountsQueries, personId: string, id: string): Promise<StoredPasskey> {
    await this.find(queries, personId, id);
    return queries.passkey.delete({ where: { id } });
  }

  /** @throws ControlError `conflict` where browsers give none to the address of the gateway. */
  private site(): PasskeySite {
    const { publicUrl } = this.settings.people;
    const site = passkeySite(publicUrl);
    if (site) return site;
    const why = `Passkeys need https, or localhost, and a name: people find this gateway at ${publicUrl}.`;
    throw new ControlError('conflict', why);
  }

  private async keep<Options extends { challenge: string }>(
    { passkeyChallenge }: AccountsQueries,
    of: { personId: string | null; isAdding: boolean; network: string | null },
    options: Options,
  ): Promise<{ token: string; options: Options }> {
    const token = newSecretToken();
    const kept = { digest: tokenDigest(token), challenge: options.challenge, ...of };
    await passkeyChallenge.create({ data: { ...kept, expiresAt: new Date(Date.now() + challengeMs) } });
    return { token, options };
  }

  /** Of two who answer at the same time, one is heard. */
  private async takeChallenge({ passkeyChallenge }: AccountsQueries, token: string, isAdding: boolean) {
    const where = { digest: tokenDigest(token), isAdding, expiresAt: { gt: new Date() } };
    const asked = await passkeyChallenge.findFirst({ where });
    const { count } = await passkeyChallenge.deleteMany({ where });
    if (!asked || count === 0)
      throw new ControlError('invalid', 'This took too long, or was answered already; try again.');
    return asked;
  }

  /** A counter that is told goes up with each signature, unless two have the same passkey. */
  private async wentOn(
    queries: AccountsQueries,
    { id, personId, name }: StoredPasskey,
    { counter, isSynced }: CheckedAnswer,
  ): Promise<boolean> {
    const isLower = counter === 0 ? { equals: 0n } : { lt: BigInt(counter) };
    const { count } = await queries.passkey.updateMany({
      where: { id, counter: isLower },
      data: { counter: BigInt(counter), isSynced, lastUsedAt: new Date() },
    });
    if (count > 0) return true;
    const person = await queries.person.findUnique({ where: { id: personId } });
    if (person) await this.outbox.add(queries, person.email, secondFactorMail(person.name, 'passkey-refused', name));
    return false;
  }
}

const isOf = (passkey: StoredPasskey, personId: string | null) => personId === null || passkey.personId === personId;

/** Whose a passkey is, as it is told when it is made: nothing of it tells who they are. */
const handleOf = (personId: string) => Buffer.from(personId.replaceAll('-', ''), 'hex');

/** Where a passkey says whose it is, that must be whose we hold it for. */
function saysSo({ response: { userHandle } }: PasskeyAnswer, { personId }: StoredPasskey): boolean {
  return userHandle === undefined || userHandle === handleOf(personId).toString('base64url');
}
