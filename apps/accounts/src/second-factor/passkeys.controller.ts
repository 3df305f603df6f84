import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { passkeyOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { AccountsMetrics } from '../accounts-metrics';
import { Changes } from '../keys/changes';
import { findPerson } from '../people/person-rows';
import { Sessions } from '../people/sessions';
import { networkOf, Throttle } from '../people/throttle';
import { Storage } from '../storage';
import { Passkeys } from './passkeys';
import { Proofs } from './proofs';
import { replaceRecoveryCodes } from './recovery-codes';
import { SecondFactors } from './second-factors';
import { toPasskey } from './stored-passkey';

type Served = ServedBy<typeof passkeyOperations>;

/** Answers that are refused. Who closes the browser's dialog answers nothing. */
const triesOfNetwork = (address: string) => ({ subject: `passkey:${networkOf(address)}`, free: 30 });

/** The operations on passkeys. All throw ControlError `unavailable` when the database is away. */
@Controller()
export class PasskeysController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly sessions: Sessions,
    private readonly factors: SecondFactors,
    private readonly passkeys: Passkeys,
    private readonly proofs: Proofs,
    private readonly metrics: AccountsMetrics,
  ) {}

  @Serve(passkeyOperations.list)
  async list({ personId }: Served['list']['request']): Promise<Served['list']['reply']> {
    const stored = await this.storage.read((queries) => this.passkeys.list(queries, personId));
    return { passkeys: stored.map(toPasskey) };
  }

  /** @throws ControlError `conflict` (they have none), `invalid` (the sign-in is unknown or too old). */
  @Serve(passkeyOperations.ask)
  async ask({ personId, attempt, address, replaces }: Served['ask']['request']): Promise<Served['ask']['reply']> {
    const network = networkOf(address);
    return this.storage.transaction(async (queries) => {
      const retryAfterS = await this.passkeys.waitS(queries, network, replaces);
      if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
      const whose = attempt === null ? personId : await this.factors.personOfSignIn(queries, attempt);
      return { outcome: 'asked', ...(await this.passkeys.ask(queries, whose, network)) };
    });
  }

  /** @throws ControlError `invalid` (the challenge is unknown, answered or too old). */
  @Serve(passkeyOperations.signIn)
  async signIn({ token, answer, address, userAgent }: Served['signIn']['request']): Promise<Served['signIn']['reply']> {
    const tries = triesOfNetwork(address);
    const retryAfterS = await this.throttle.take(tries);
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const session = await this.storage.transaction(async (queries) => {
      const passkey = await this.passkeys.take(queries, { token, answer }, null);
      return passkey && this.sessions.open(queries, passkey.personId, userAgent);
    });
    this.metrics.signedIn('passkey', session ? 'opened' : 'refused');
    if (!session) return { outcome: 'refused' };
    await this.throttle.giveBack(tries);
    return { outcome: 'opened', session };
  }

  /** @throws ControlError `conflict` (see the contract). */
  @Serve(passkeyOperations.beginAdding)
  async beginAdding({
    personId,
    password,
    ...shown
  }: Served['beginAdding']['request']): Promise<Served['beginAdding']['reply']> {
    const asked = await this.proofs.askPassword(personId, password);
    if (!('person' in asked)) return asked;
    const begun = await this.changes.commit(async ({ transaction }) => {
      if (!(await this.proofs.takeWhereThereIsOne(transaction, asked.person, shown))) return null;
      return this.passkeys.beginAdding(transaction, asked.person);
    });
    if (!begun) return { outcome: 'refused' };
    await this.proofs.forgive(personId);
    return { outcome: 'asked', ...begun };
  }

  /** @throws ControlError `conflict`, `invalid` (see the contract). */
  @Serve(passkeyOperations.add)
  async add({ personId, sessionId, ...request }: Served['add']['request']): Promise<Served['add']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const person = await findPerson(transaction, personId);
      const hadOne = await this.factors.isEnabled(transaction, personId);
      const passkey = await this.passkeys.add(transaction, person, request);
      if (!passkey) return { outcome: 'refused' };
      // Whoever else was signed in did without it.
      if (!hadOne) await transaction.session.deleteMany({ where: { personId, id: { not: sessionId } } });
      const { email, accountId } = person;
      await change.audit({ actor: email, action: 'passkey-added', accountId, detail: { email, name: passkey.name } });
      const recoveryCodes = hadOne ? null : await replaceRecoveryCodes(transaction, personId);
      return { outcome: 'added', passkey: toPasskey(passkey), recoveryCodes };
    });
  }

  /** @throws ControlError `not_found` (they have no such passkey). */
  @Serve(passkeyOperations.rename)
  async rename({ personId, passkeyId, name }: Served['rename']['request']): Promise<Served['rename']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { email, accountId } = await findPerson(transaction, personId);
      const { name: before } = await this.passkeys.find(transaction, personId, passkeyId);
      const passkey = await transaction.passkey.update({ where: { id: passkeyId }, data: { name } });
      if (name !== before)
        await change.audit({ actor: email, action: 'passkey-renamed', accountId, detail: { email, before, name } });
      return { passkey: toPasskey(passkey) };
    });
  }

  /** @throws ControlError `not_found` (they have no such passkey). */
  @Serve(passkeyOperations.remove)
  async remove({
    personId,
    passkeyId,
    password,
    ...shown
  }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    const asked = await this.proofs.askPassword(personId, password);
    if (!('person' in asked)) return asked;
    const { person } = asked;
    const isRight = await this.changes.commit(async (change) => {
      const { transaction } = change;
      if (!(await this.proofs.take(transaction, person, shown))) return false;
      const { name } = await this.passkeys.remove(transaction, personId, passkeyId);
      await this.factors.afterRemoval(transaction, person, 'passkey-removed', name);
      const { email, accountId } = person;
      await change.audit({ actor: email, action: 'passkey-removed', accountId, detail: { email, name } });
      return true;
    });
    if (!isRight) return { outcome: 'refused' };
    await this.proofs.forgive(personId);
    return { outcome: 'removed' };
  }
}
