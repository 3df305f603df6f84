import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { AccountsMetrics } from '../accounts-metrics';
import { normalEmail } from '../accounts/account-rows';
import { Changes } from '../keys/changes';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage';
import { SecondFactors } from '../second-factor/second-factors';
import { AccessRequests } from './access-requests';
import { FirstAdministrator, makeFirstAdministrator } from './first-administrator';
import { OneTimeLinks } from './one-time-links';
import { Passwords } from './passwords';
import { insertPerson, personOfEmail } from './person-rows';
import { Sessions } from './sessions';
import { networkOf, Throttle } from './throttle';

const freeSignUps = 10;
const freeSecrets = 5;
/** Many people may share an address of the network; nobody mistypes their own password so often. */
const freeTriesOfEmail = 5;
const freeTriesOfNetwork = 30;

/**
 * The operations by which people come in with a password. All throw ControlError `unavailable` when the
 * database is away.
 */
@Controller()
export class SignInController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly throttle: Throttle,
    private readonly passwords: Passwords,
    private readonly links: OneTimeLinks,
    private readonly requests: AccessRequests,
    private readonly sessions: Sessions,
    private readonly first: FirstAdministrator,
    private readonly factors: SecondFactors,
    private readonly metrics: AccountsMetrics,
  ) {}

  /**
   * Makes an account that waits for approval, with its person, and signs them in. An account that somebody
   * asked for in another way is not handed over to whoever types its address: its password comes by mail
   * (`forgot`).
   * @throws ControlError `conflict` (the address is taken), `invalid` (the password).
   */
  @Serve(peopleOperations.signUp)
  async signUp(request: Request<'signUp'>): Promise<Reply<'signUp'>> {
    const { name, password, purpose, address, userAgent } = request;
    const email = normalEmail(request.email);
    const retryAfterS = await this.throttle.take({ subject: `sign-up:${networkOf(address)}`, free: freeSignUps });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const passwordHash = await this.passwords.hash(password, email);
    const session = await this.changes.commit(async (change) => {
      const { transaction } = change;
      if (await personOfEmail(transaction, email))
        throw new ControlError('conflict', `${email} has an account already: sign in, or reset its password.`);
      const { id: accountId } = await this.requests.make(change, { name, email, purpose });
      const person = await insertPerson(transaction, { accountId, email, name, passwordHash });
      await this.links.mail(transaction, person, 'verify');
      return this.sessions.open(transaction, person.id, userAgent);
    });
    return { outcome: 'opened', session };
  }

  /** An unknown address and a wrong password are told apart neither by the answer nor by its time. */
  @Serve(peopleOperations.signIn)
  async signIn(request: Request<'signIn'>): Promise<Reply<'signIn'>> {
    const reply = await this.tryToSignIn(request);
    this.metrics.signedIn('password', reply.outcome);
    return reply;
  }

  /**
   * Makes an active account with an administrator. An account of that address that nobody signs in for is
   * taken over.
   * @throws ControlError `forbidden` (the secret), `not_found` (there is an administrator), `conflict` (the
   * address is taken), `invalid` (the password).
   */
  @Serve(peopleOperations.firstAdministrator)
  async firstAdministrator(request: Request<'firstAdministrator'>): Promise<Reply<'firstAdministrator'>> {
    const { name, userAgent } = request;
    const email = normalEmail(request.email);
    if (!(await this.first.isNeeded())) throw nothingHere();
    const subject = `bootstrap:${networkOf(request.address)}`;
    const retryAfterS = await this.throttle.take({ subject, free: freeSecrets });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    if (!this.first.isSecret(request.secret)) throw new ControlError('forbidden', wrongBootstrapSecret);
    const passwordHash = await this.passwords.hash(request.password, email);
    const session = await this.changes.commit(async (change) => {
      const person = await makeFirstAdministrator(change, { email, name, passwordHash, account: name });
      if (!person) throw nothingHere();
      return this.sessions.open(change.transaction, person.id, userAgent);
    });
    return { outcome: 'opened', session };
  }

  private async tryToSignIn({ email, password, address, userAgent }: Request<'signIn'>): Promise<Reply<'signIn'>> {
    const subject = `sign-in:${normalEmail(email)}`;
    const network = { subject: `sign-in from ${networkOf(address)}`, free: freeTriesOfNetwork };
    const retryAfterS = await this.throttle.take(network, { subject, free: freeTriesOfEmail });
    if (retryAfterS !== null) return { outcome: 'throttled', retryAfterS };
    const person = await this.storage.read((queries) => personOfEmail(queries, normalEmail(email)));
    const matches = await this.passwords.matches(password, person?.passwordHash ?? null);
    if (!person || !matches) return { outcome: 'refused' };
    await this.throttle.forgive(subject);
    await this.throttle.giveBack(network);
    return this.storage.transaction(async (queries) => {
      if (await this.factors.isEnabled(queries, person.id))
        return { outcome: 'second-factor', token: await this.factors.beginSignIn(queries, person.id) };
      return { outcome: 'opened', session: await this.sessions.open(queries, person.id, userAgent) };
    });
  }
}

const wrongBootstrapSecret =
  'The bootstrap secret is not right. `npm start` prints it at the first start; with Docker Compose, `docker compose exec accounts cat /secrets/bootstrap-secret` shows it.';

function nothingHere(): ControlError {
  return new ControlError('not_found', 'There is an administrator already, or no bootstrap secret is set.');
}
