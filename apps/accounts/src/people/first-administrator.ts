import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { makeActiveAccount } from '../accounts/account-rows';
import { keyIdsOf } from '../keys/key-rows';
import type { Change } from '../keys/changes';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { hasAdministrator, insertPerson, personOfEmail } from './person-rows';
import type { StoredPerson } from './stored-person';

/**
 * Whether somebody may make the first administrator: who holds the bootstrap secret, while there is none.
 * There is no default password that could be forgotten.
 */
@Injectable()
export class FirstAdministrator {
  /** Once there is an administrator there is always one, so that it needs no further question. */
  private hasOne = false;

  constructor(
    private readonly storage: Storage,
    private readonly settings: AccountsSettings,
  ) {}

  /** Whether one may be made now. @throws ControlError `unavailable`. */
  async isNeeded(): Promise<boolean> {
    if (this.settings.people.bootstrapSecret === null || this.hasOne) return false;
    this.hasOne = await this.storage.read(hasAdministrator);
    return !this.hasOne;
  }

  isSecret(text: string): boolean {
    const digest = (secret: string) => createHash('sha256').update(secret).digest();
    return timingSafeEqual(digest(text), digest(this.settings.people.bootstrapSecret ?? ''));
  }
}

/**
 * Within a change: makes an active account with an administrator. An account of that address (a normal one,
 * normalEmail) that nobody signs in for is taken over.
 * `account`: the name of an account that is made. Null: there is an administrator already.
 * @throws ControlError `conflict` (somebody signs in with the address).
 */
export async function makeFirstAdministrator(
  change: Change,
  { account, ...person }: { email: string; name: string; passwordHash: string; account: string },
): Promise<StoredPerson | null> {
  const { transaction } = change;
  const { email } = person;
  // Changes run one after another: of two at once, one finds that the other was first.
  if (await hasAdministrator(transaction)) return null;
  if (await personOfEmail(transaction, email))
    throw new ControlError('conflict', `${email} signs in as a user already: take another address.`);
  const accountId = await makeActiveAccount(transaction, email, account);
  await change.audit({ actor: email, action: 'first-administrator-made', accountId, detail: { email } });
  const made = await insertPerson(transaction, { accountId, ...person, role: 'administrator' });
  // Of an account that was there before.
  await change.touchKeys(await keyIdsOf(transaction, accountId));
  return made;
}
