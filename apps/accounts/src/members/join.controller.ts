import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { memberOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { Changes } from '../keys/changes';
import { OneTimeLinks } from '../people/one-time-links';
import { Passwords } from '../people/passwords';
import { bindToDirectory, insertPerson } from '../people/person-rows';
import { Sessions } from '../people/sessions';
import { networkOf, Throttle } from '../people/throttle';
import { Storage } from '../storage';
import { Invitations, inviterOf, requireFree } from './invitations';

type Served = ServedBy<typeof memberOperations>;

const freeTries = 30;

/**
 * The operations of whoever has the link of an invitation. They throw ControlError `invalid` for one that
 * does not work any more, and `unavailable` when the database is away.
 */
@Controller()
export class JoinController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly links: OneTimeLinks,
    private readonly invitations: Invitations,
  ) {}

  @Serve(memberOperations.invited)
  invited({ token }: Served['invited']['request']): Promise<Served['invited']['reply']> {
    return this.storage.read(async (queries) => {
      const { account, email, role, invitedBy } = await this.invitations.ofToken(queries, token);
      return { accountName: account.name, email, role, invitedBy: inviterOf(invitedBy) };
    });
  }

  /**
   * A mailed link proves the address, as nobody else was told it; of one that was handed over that is still
   * to be proven.
   * @throws ControlError `conflict` (the address is taken meanwhile), `invalid` (the password, too).
   */
  @Serve(memberOperations.join)
  async join({
    token,
    name,
    password,
    address,
    userAgent,
  }: Served['join']['request']): Promise<Served['join']['reply']> {
    const retryAfterS = await this.throttle.take({ subject: `join:${networkOf(address)}`, free: freeTries });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    // Hashed before changes wait for this one, and only for who has a link.
    const { email } = await this.storage.read((queries) => this.invitations.ofToken(queries, token));
    const passwordHash = await this.passwords.hash(password, email);
    const session = await this.changes.commit(async (change) => {
      const { transaction } = change;
      const { accountId, role, isMailed } = await this.invitations.ofToken(transaction, token);
      await requireFree(transaction, email, accountId);
      await transaction.invitation.deleteMany({ where: { email } });
      const emailVerifiedAt = isMailed ? new Date() : null;
      const known = { accountId, email, name, passwordHash, accountRole: role, emailVerifiedAt };
      const person = await insertPerson(transaction, known);
      await bindToDirectory(transaction, person);
      if (!isMailed) await this.links.mail(transaction, person, 'verify');
      await change.audit({ actor: email, action: 'person-joined', accountId, detail: { email, role } });
      return this.sessions.open(transaction, person.id, userAgent);
    });
    return { outcome: 'opened', session };
  }
}
