import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import { makePendingAccount } from '../accounts/access-requests';
import { normalEmail } from '../accounts/find-account';
import { Changes } from '../changes/changes';
import type { Reply, Request } from '../operations';
import type { AccountsQueries } from '../storage/storage';
import { EmailVerification } from './email-verification';
import { Passwords } from './passwords';
import { Sessions } from './sessions';
import { networkOf, Throttle } from './throttle';

const freeTries = 10;

/** Takes requests for access from people who will sign in. */
@Injectable()
export class SignUp {
  constructor(
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly verification: EmailVerification,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Makes an account that waits for approval, with its person, and signs them in. An account that somebody asked for in another way is not handed over to
   * whoever types its address: its password comes by mail (`forgot`).
   * @throws ControlError `conflict` (the address is taken), `invalid` (the password), `unavailable`.
   */
  async signUp(request: Request<'signUp'>): Promise<Reply<'signUp'>> {
    const { name, password, purpose, address, userAgent } = request;
    const email = normalEmail(request.email);
    const retryAfterS = await this.throttle.take({ subject: `sign-up:${networkOf(address)}`, free: freeTries });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const passwordHash = await this.passwords.hash(password, email);
    const session = await this.changes.commit(async (change) => {
      const { transaction } = change;
      await requireFree(transaction, email);
      const account = await makePendingAccount(change, { name, email, purpose });
      const person = await transaction.person.create({
        data: { id: uuidv7(), accountId: account.id, email, name, passwordHash },
      });
      await this.verification.mail(transaction, person);
      return this.sessions.open(transaction, person.id, userAgent);
    });
    return { outcome: 'opened', session };
  }
}

async function requireFree(queries: AccountsQueries, email: string): Promise<void> {
  if (await queries.person.findUnique({ where: { email } }))
    throw new ControlError('conflict', `${email} has an account already: sign in, or reset its password.`);
}
