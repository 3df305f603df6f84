import { Injectable } from '@nestjs/common';
import { normalEmail } from '../accounts/find-account';
import { AccountsMetrics } from '../metrics/accounts-metrics';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { Passwords } from './passwords';
import { Sessions } from './sessions';
import { networkOf, Throttle } from './throttle';

/** Many people may share an address of the network; nobody mistypes their own password so often. */
const freeTriesOfEmail = 5;
const freeTriesOfNetwork = 30;

/** Signs people in by password. */
@Injectable()
export class SignIn {
  constructor(
    private readonly storage: Storage,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly metrics: AccountsMetrics,
  ) {}

  /** An unknown address and a wrong password are told apart neither by the answer nor by its time. @throws ControlError `unavailable`. */
  async signIn(request: Request<'signIn'>): Promise<Reply<'signIn'>> {
    const reply = await this.tryToSignIn(request);
    this.metrics.signedIn('password', reply.outcome);
    return reply;
  }

  private async tryToSignIn({ email, password, address, userAgent }: Request<'signIn'>): Promise<Reply<'signIn'>> {
    const subject = `sign-in:${normalEmail(email)}`;
    const network = { subject: `sign-in:${networkOf(address)}`, free: freeTriesOfNetwork };
    const retryAfterS = await this.throttle.take(network, { subject, free: freeTriesOfEmail });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const person = await this.storage.read((queries) =>
      queries.person.findUnique({ where: { email: normalEmail(email) } }),
    );
    const matches = await this.passwords.matches(password, person?.passwordHash ?? null);
    if (!person || !matches) return { outcome: 'refused' };
    await this.throttle.forgive(subject);
    await this.throttle.giveBack(network);
    const session = await this.storage.transaction((queries) => this.sessions.open(queries, person.id, userAgent));
    return { outcome: 'opened', session };
  }
}
