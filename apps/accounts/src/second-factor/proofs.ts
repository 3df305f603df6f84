import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { PasskeyAnswer } from '@tollgate/contracts/accounts';
import { findPerson } from '../people/person-rows';
import { Passwords } from '../people/passwords';
import type { StoredPerson } from '../people/stored-person';
import { Throttle } from '../people/throttle';
import { Storage, type AccountsQueries } from '../storage';
import { Passkeys } from './passkeys';
import { SecondFactors } from './second-factors';
import { triesOf } from './tries';

/** What somebody shows of a factor of theirs: a code, or a passkey. */
export interface ShownFactor {
  code?: string | undefined;
  passkey?: { token: string; answer: PasskeyAnswer } | undefined;
}

/** What who is signed in proves before a second factor of theirs is touched. */
@Injectable()
export class Proofs {
  constructor(
    private readonly storage: Storage,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly factors: SecondFactors,
    private readonly passkeys: Passkeys,
  ) {}

  /**
   * Who asks, where the password is theirs. What is counted is not forgiven for it: the code may still be
   * guessed.
   * @throws ControlError `conflict` for who has none.
   */
  async askPassword(
    personId: string,
    password: string,
  ): Promise<{ person: StoredPerson } | { outcome: 'throttled'; retryAfterS: number } | { outcome: 'refused' }> {
    const waitS = await this.throttle.take(triesOf(personId));
    if (waitS !== null) return { outcome: 'throttled', retryAfterS: waitS };
    const person = await this.storage.read((queries) => findPerson(queries, personId));
    if (person.passwordHash === null)
      throw new ControlError('conflict', 'You sign in with your provider, which asks for a second factor itself.');
    return (await this.passwords.matches(password, person.passwordHash)) ? { person } : { outcome: 'refused' };
  }

  /** Who proved all that was asked is not guessing: their tries do not count. */
  async forgive(personId: string): Promise<void> {
    await this.throttle.forgive(triesOf(personId).subject);
  }

  /**
   * Whether a factor that they have is shown, within a change; a code and a challenge are used up by it.
   * @throws ControlError `conflict` where they have no second factor.
   */
  async take(queries: AccountsQueries, person: StoredPerson, { code, passkey }: ShownFactor): Promise<boolean> {
    if (!(await this.factors.isEnabled(queries, person.id)))
      throw new ControlError('conflict', 'There is no second factor.');
    if (passkey) return (await this.passkeys.take(queries, passkey, person.id)) !== null;
    return code !== undefined && this.factors.take(queries, person, code);
  }

  /** As `take`, for what somebody may do by the password alone while they have no second factor. */
  async takeWhereThereIsOne(queries: AccountsQueries, person: StoredPerson, shown: ShownFactor): Promise<boolean> {
    return !(await this.factors.isEnabled(queries, person.id)) || this.take(queries, person, shown);
  }
}
