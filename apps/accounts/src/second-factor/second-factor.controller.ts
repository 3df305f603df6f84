import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { secondFactorOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { findAccount } from '../accounts/account-rows';
import { Changes } from '../keys/changes';
import { findMemberToChange } from '../members/member-rules';
import { findPerson } from '../people/person-rows';
import { toPerson, type StoredPerson } from '../people/stored-person';
import { Throttle } from '../people/throttle';
import { Storage } from '../storage';
import { Proofs } from './proofs';
import { replaceRecoveryCodes } from './recovery-codes';
import { SecondFactors } from './second-factors';
import { triesOf } from './tries';

type Served = ServedBy<typeof secondFactorOperations>;

/**
 * The operations by which people set up and remove their second factor, and an operator removes it. All throw
 * ControlError `unavailable` when the database is away, and `not_found` where there is no such person.
 */
@Controller()
export class SecondFactorController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly proofs: Proofs,
    private readonly factors: SecondFactors,
  ) {}

  @Serve(secondFactorOperations.state)
  state({ personId }: Served['state']['request']): Promise<Served['state']['reply']> {
    return this.storage.read(async ({ secondFactor, recoveryCode }) => {
      const factor = await secondFactor.findUnique({ where: { personId } });
      const recoveryCodes = await recoveryCode.count({ where: { personId } });
      return { enabledAt: factor?.enabledAt?.getTime() ?? null, recoveryCodes };
    });
  }

  /** @throws ControlError `conflict` where there is a second factor. */
  @Serve(secondFactorOperations.begin)
  async begin({ personId, password, ...shown }: Served['begin']['request']): Promise<Served['begin']['reply']> {
    const asked = await this.proofs.askPassword(personId, password);
    if (!('person' in asked)) return asked;
    const { person } = asked;
    const enrolment = await this.changes.commit(async ({ transaction }) => {
      await this.factors.requireNone(transaction, personId);
      if (!(await this.proofs.takeWhereThereIsOne(transaction, person, shown))) return null;
      return this.factors.begin(transaction, person);
    });
    return enrolment ? { outcome: 'begun', ...enrolment } : { outcome: 'refused' };
  }

  /** @throws ControlError `conflict` where none was begun. */
  @Serve(secondFactorOperations.confirm)
  async confirm({ personId, sessionId, code }: Served['confirm']['request']): Promise<Served['confirm']['reply']> {
    const waitS = await this.throttle.take(triesOf(personId));
    if (waitS !== null) return { outcome: 'throttled', retryAfterS: waitS };
    const recoveryCodes = await this.changes.commit(async (change) => {
      const { transaction } = change;
      const person = await findPerson(transaction, personId);
      const codes = await this.factors.enable(transaction, person, code.replaceAll(/\s/g, ''));
      if (codes === null) return null;
      // Whoever else was signed in did without it.
      await transaction.session.deleteMany({ where: { personId, id: { not: sessionId } } });
      const { email, accountId } = person;
      await change.audit({ actor: email, action: 'second-factor-enabled', accountId, detail: { email } });
      return codes;
    });
    if (recoveryCodes === null) return { outcome: 'refused' };
    await this.throttle.forgive(triesOf(personId).subject);
    return { outcome: 'enabled', recoveryCodes };
  }

  /** @throws ControlError `conflict` where there is no second factor. */
  @Serve(secondFactorOperations.renewRecoveryCodes)
  async renew(request: Served['renewRecoveryCodes']['request']): Promise<Served['renewRecoveryCodes']['reply']> {
    const asked = await this.proofs.askPassword(request.personId, request.password);
    if (!('person' in asked)) return asked;
    const { person } = asked;
    const recoveryCodes = await this.changes.commit(async (change) => {
      const { transaction } = change;
      if (!(await this.proofs.take(transaction, person, request))) return null;
      const { email, accountId } = person;
      await change.audit({ actor: email, action: 'recovery-codes-renewed', accountId, detail: { email } });
      return replaceRecoveryCodes(transaction, person.id);
    });
    return recoveryCodes === null ? { outcome: 'refused' } : { outcome: 'renewed', recoveryCodes };
  }

  /** @throws ControlError `conflict` where there is no second factor. */
  @Serve(secondFactorOperations.remove)
  async remove({ personId, password, ...shown }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    const asked = await this.proofs.askPassword(personId, password);
    if (!('person' in asked)) return asked;
    const { person } = asked;
    const isRight = await this.changes.commit(async (change) => {
      const { transaction } = change;
      if (!(await this.proofs.take(transaction, person, shown))) return false;
      await this.factors.remove(transaction, person);
      const { email, accountId } = person;
      await change.audit({ actor: email, action: 'second-factor-removed', accountId, detail: { email } });
      return true;
    });
    return { outcome: isRight ? 'removed' : 'refused' };
  }

  /** @throws ControlError `forbidden`, `conflict` (there is no second factor, or it is not for `by`). */
  @Serve(secondFactorOperations.reset)
  reset({ account: named, personId, actor, by }: Served['reset']['request']): Promise<Served['reset']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, named);
      const person = await findMemberToChange(transaction, accountId, { personId, by });
      if (by !== undefined) requireOfAnother(person, by);
      await this.factors.removeAll(transaction, person);
      await transaction.session.deleteMany({ where: { personId } });
      await change.audit({ actor, action: 'second-factor-reset', accountId, detail: { email: person.email } });
      return { person: toPerson(person) };
    });
  }
}

/**
 * Who is signed in takes their own away in the settings, where they prove it; of whoever administers the
 * gateway more hangs on it than an account.
 * @throws ControlError `conflict`.
 */
function requireOfAnother({ id, email, role }: StoredPerson, by: string): void {
  if (id === by) throw new ControlError('conflict', 'Remove your own second factor in the settings.');
  if (role === 'administrator')
    throw new ControlError('conflict', `${email} administers the gateway: another of its administrators resets this.`);
}
