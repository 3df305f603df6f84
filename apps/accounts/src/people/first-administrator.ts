import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import { normalEmail } from '../accounts/find-account';
import type { Change } from '../changes/change';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { Passwords } from './passwords';
import { PeopleSettings } from './people-settings';
import { Sessions } from './sessions';
import { networkOf, Throttle } from './throttle';

const freeTries = 5;
const administrators = { where: { role: 'administrator' as const } };

/** Makes the first administrator, for who holds the bootstrap secret; there is no default password that could be forgotten. */
@Injectable()
export class FirstAdministrator {
  /** Once there is an administrator there is always one, so that it needs no further question. */
  private hasOne = false;

  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly settings: PeopleSettings,
  ) {}

  /** Whether one may be made now. @throws ControlError `unavailable`. */
  async isNeeded(): Promise<boolean> {
    if (this.settings.bootstrapSecret === null || this.hasOne) return false;
    this.hasOne = (await this.storage.read((queries) => queries.person.count(administrators))) > 0;
    return !this.hasOne;
  }

  /**
   * Makes an active account with an administrator. An account of that address that nobody signs in for is taken over.
   * @throws ControlError `forbidden` (the secret), `not_found` (there is an administrator), `conflict` (the address is taken), `invalid` (the password), `unavailable`.
   */
  async make(request: Request<'firstAdministrator'>): Promise<Reply<'firstAdministrator'>> {
    const email = normalEmail(request.email);
    if (!(await this.isNeeded())) throw nothingHere();
    const subject = `bootstrap:${networkOf(request.address)}`;
    const retryAfterS = await this.throttle.take({ subject, free: freeTries });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    if (!isSame(request.secret, this.settings.bootstrapSecret ?? ''))
      throw new ControlError('forbidden', 'The bootstrap secret is not right: the first start printed it.');
    const passwordHash = await this.passwords.hash(request.password, email);
    const session = await this.changes.commit(async (change) => {
      const { transaction } = change;
      // Changes run one after another: of two at once, one finds that the other was first.
      if ((await transaction.person.count(administrators)) > 0) throw nothingHere();
      if (await transaction.person.findUnique({ where: { email } }))
        throw new ControlError('conflict', `${email} signs in as a user already: take another address.`);
      const accountId = await activeAccount(change, email, request.name);
      const person = await transaction.person.create({
        data: { id: uuidv7(), accountId, email, name: request.name, passwordHash, role: 'administrator' },
      });
      await change.audit({ actor: email, action: 'first-administrator-made', accountId, detail: { email } });
      return this.sessions.open(transaction, person.id, request.userAgent);
    });
    return { outcome: 'opened', session };
  }
}

async function activeAccount({ transaction }: Change, email: string, name: string): Promise<string> {
  const { id } = await transaction.account.upsert({
    where: { email },
    create: { id: uuidv7(), name, email, purpose: '', status: 'active', plan: 'beta' },
    update: { status: 'active' },
  });
  return id;
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function nothingHere(): ControlError {
  return new ControlError('not_found', 'There is an administrator already, or no bootstrap secret is set.');
}
