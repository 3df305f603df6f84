import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import { AccountsMetrics } from '../accounts-metrics';
import { accountOfEmail, findAccount, isAddress, normalEmail } from '../accounts/account-rows';
import { Changes, type Change } from '../keys/changes';
import type { Reply, Request } from '../operations';
import { AccountsSettings } from '../settings';
import { Storage, type AccountsQueries } from '../storage';
import { AccessRequests } from './access-requests';
import { OidcProvider, type OidcChecks, type OidcIdentity } from './oidc-provider';
import { followGroups, grantOf, type Grant } from './oidc-groups';
import { insertPerson, isOfDirectory, linkIdentity, peopleOf, personOfEmail, personOfIdentity } from './person-rows';
import { newSecretToken, tokenDigest } from './secret-token';
import { Sessions } from './sessions';
import { networkOf } from './throttle';

const attemptMs = 600_000;
/** Sign-ins that nobody ended, of one network: an office may be one. */
const mostOfNetwork = 300;
/** Answers that say no to who asks; all others are troubles of ours or of the provider's. */
const refusals: ReadonlySet<string> = new Set(['invalid', 'forbidden', 'conflict']);

/**
 * The operations by which people come in whom an OpenID provider vouches for. They throw ControlError
 * `not_found` where none is set up, and `unavailable`.
 */
@Controller()
export class OidcController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly provider: OidcProvider,
    private readonly sessions: Sessions,
    private readonly settings: AccountsSettings,
    private readonly requests: AccessRequests,
    private readonly metrics: AccountsMetrics,
  ) {}

  /** @throws ControlError `conflict` for a network that began too many which it did not end. */
  @Serve(peopleOperations.oidcBegin)
  async begin({ address }: Request<'oidcBegin'>): Promise<Reply<'oidcBegin'>> {
    const { url, checks } = await this.provider.begin();
    const token = newSecretToken();
    const network = address === undefined ? null : networkOf(address);
    const data = { digest: tokenDigest(token), network, expiresAt: new Date(Date.now() + attemptMs), ...checks };
    await this.storage.read(async ({ oidcAttempt }) => {
      const open = { network, expiresAt: { gt: new Date() } };
      if (network !== null && (await oidcAttempt.count({ where: open })) >= mostOfNetwork) throw tooMany();
      await oidcAttempt.create({ data });
    });
    return { url, token };
  }

  /**
   * Signs in who is known, and takes a request for access from who is not.
   * @throws ControlError `invalid` (the attempt is unknown or too old), `forbidden` (the provider vouches for
   * nobody, or for no address), `conflict` (the address belongs to somebody who signs in otherwise).
   */
  @Serve(peopleOperations.oidcFinish)
  async finish(request: Request<'oidcFinish'>): Promise<Reply<'oidcFinish'>> {
    try {
      const session = await this.tryToFinish(request);
      this.metrics.signedIn('oidc', 'opened');
      return session;
    } catch (error) {
      if (error instanceof ControlError && refusals.has(error.code)) this.metrics.signedIn('oidc', 'refused');
      throw error;
    }
  }

  private async tryToFinish({ token, query, userAgent }: Request<'oidcFinish'>): Promise<Reply<'oidcFinish'>> {
    const checks = await this.takeAttempt(token);
    const identity = await this.provider.finish(query, checks);
    return this.changes.commit(async (change) => {
      const grant = await grantOf(change.transaction, this.settings.people.oidc?.groups ?? null, identity);
      const known = await knownPerson(change, identity);
      const personId = known ?? (await newPerson(change, identity, grant, this.requests));
      if (known !== null) await followGroups(change, known, grant);
      return this.sessions.open(change.transaction, personId, userAgent);
    });
  }

  private takeAttempt(token: string): Promise<OidcChecks> {
    return this.storage.transaction(async ({ oidcAttempt }) => {
      const where = { digest: tokenDigest(token), expiresAt: { gt: new Date() } };
      const attempt = await oidcAttempt.findFirst({ where });
      const { count } = await oidcAttempt.deleteMany({ where });
      if (!attempt || count === 0) throw new ControlError('invalid', 'This sign-in took too long; try again.');
      return attempt;
    });
  }
}

/**
 * Who signed in with this identity before, or whose verified address it is. An address that its person never
 * verified may have been typed in by somebody else, who would then share the account: that person must verify
 * it first.
 */
async function knownPerson({ transaction }: Change, identity: OidcIdentity): Promise<string | null> {
  const { issuer: oidcIssuer, subject: oidcSubject } = identity;
  const linked = await personOfIdentity(transaction, oidcIssuer, oidcSubject);
  if (linked) return linked.id;
  const email = requireEmail(identity);
  const person = await personOfEmail(transaction, email);
  if (!person) return null;
  if (person.oidcSubject !== null || person.emailVerifiedAt === null)
    throw new ControlError('conflict', `${email} signs in with a password: do so, and confirm the address first.`);
  await linkIdentity(transaction, person.id, { oidcIssuer, oidcSubject });
  return person.id;
}

/**
 * The account that their groups lead into gets its person here, else the one that was asked for with this
 * address, which the provider verified. An invitation is taken by its link alone: nobody is pulled into an
 * account by whoever wrote their address there.
 * @throws ControlError `forbidden` for whom the directory of the account knows, and does not let in, and
 * where the account that groups lead into is not active.
 */
async function newPerson(
  change: Change,
  identity: OidcIdentity,
  grant: Grant | null,
  requests: AccessRequests,
): Promise<string> {
  const { transaction } = change;
  const email = requireEmail(identity);
  const name = identity.name?.slice(0, 200) ?? email;
  const existing = await accountOfEmail(transaction, email);
  const linked = { oidcIssuer: identity.issuer, oidcSubject: identity.subject };
  const person = { email, name, emailVerifiedAt: new Date(), ...linked };
  const isFreeFor = (accountId: string) => existing === null || existing.id === accountId;
  const granted = grant?.role && isFreeFor(grant.accountId) ? { accountId: grant.accountId, role: grant.role } : null;
  const joined = granted?.accountId ?? existing?.id;
  if (joined !== undefined && (await isOfDirectory(transaction, joined, email)))
    throw new ControlError('forbidden', 'The directory of your organisation took you out of this account.');
  if (granted) {
    const { accountId, role } = granted;
    await requireActive(transaction, accountId);
    await change.audit({ actor: email, action: 'person-joined', accountId, detail: { email, role } });
    return (await insertPerson(transaction, { accountId, ...person, accountRole: role })).id;
  }
  if (existing && (await peopleOf(transaction, existing.id)).length > 0)
    throw new ControlError('conflict', `${email} was removed from its account: its owners can invite it again.`);
  const { id: accountId } = existing ?? (await requests.make(change, { name, email, purpose: '' }));
  return (await insertPerson(transaction, { accountId, ...person })).id;
}

/** Nobody else comes into an account that was stopped, either. */
async function requireActive(queries: AccountsQueries, accountId: string): Promise<void> {
  const { status } = await findAccount(queries, accountId);
  if (status === 'active') return;
  const message = `The account for groups of this provider is ${status}: tell the operator of this gateway.`;
  throw new ControlError('forbidden', message);
}

function tooMany(): ControlError {
  const minutes = attemptMs / 60_000;
  return new ControlError(
    'conflict',
    `Too many sign-ins were begun in your network and not ended: try again in ${minutes} minutes.`,
  );
}

function requireEmail({ email }: OidcIdentity): string {
  const address = normalEmail(email ?? '');
  if (address.length > 200 || !isAddress(address))
    throw new ControlError('forbidden', 'The provider does not tell a verified e-mail address of yours.');
  return address;
}
