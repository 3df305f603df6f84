import { Injectable } from '@nestjs/common';
import { ControlError, uuidv7, type OpenedSession } from '@tollgate/contracts';
import { makePendingAccount } from '../accounts/access-requests';
import { normalEmail } from '../accounts/find-account';
import type { Change } from '../changes/change';
import { Changes } from '../changes/changes';
import { AccountsMetrics } from '../metrics/accounts-metrics';
import type { Reply, Request } from '../operations';
import { newSecretToken, tokenDigest } from '../people/secret-token';
import { Sessions } from '../people/sessions';
import { Storage } from '../storage/storage';
import { OidcProvider, type OidcChecks, type OidcIdentity } from './oidc-provider';

const attemptMs = 600_000;
/** Answers that say no to who asks; all others are troubles of ours or of the provider's. */
const refusals: ReadonlySet<string> = new Set(['invalid', 'forbidden', 'conflict']);

/** Signs people in who an OpenID provider vouches for. */
@Injectable()
export class OidcSignIn {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly provider: OidcProvider,
    private readonly sessions: Sessions,
    private readonly metrics: AccountsMetrics,
  ) {}

  /** @throws ControlError `not_found` (no provider is set up), `unavailable`. */
  async begin(): Promise<Reply<'oidcBegin'>> {
    const { url, checks } = await this.provider.begin();
    const token = newSecretToken();
    const expiresAt = new Date(Date.now() + attemptMs);
    await this.storage.read((queries) =>
      queries.oidcAttempt.create({ data: { digest: tokenDigest(token), expiresAt, ...checks } }),
    );
    return { url, token };
  }

  /**
   * Signs in who is known, and takes a request for access from who is not.
   * @throws ControlError `invalid` (the attempt is unknown or too old), `forbidden` (the provider vouches for nobody, or for no address), `conflict` (the address
   * belongs to somebody who signs in otherwise), `not_found`, `unavailable`.
   */
  async finish(request: Request<'oidcFinish'>): Promise<OpenedSession> {
    try {
      const session = await this.tryToFinish(request);
      this.metrics.signedIn('oidc', 'opened');
      return session;
    } catch (error) {
      if (error instanceof ControlError && refusals.has(error.code)) this.metrics.signedIn('oidc', 'refused');
      throw error;
    }
  }

  private async tryToFinish({ token, query, userAgent }: Request<'oidcFinish'>): Promise<OpenedSession> {
    const checks = await this.takeAttempt(token);
    const identity = await this.provider.finish(query, checks);
    return this.changes.commit(async (change) => {
      const personId = (await knownPerson(change, identity)) ?? (await newPerson(change, identity));
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
 * Who signed in with this identity before, or whose verified address it is. An address that its person never verified may have been typed in by somebody else,
 * who would then share the account: that person must verify it first.
 */
async function knownPerson({ transaction }: Change, identity: OidcIdentity): Promise<string | null> {
  const { issuer: oidcIssuer, subject: oidcSubject } = identity;
  const linked = await transaction.person.findFirst({ where: { oidcIssuer, oidcSubject } });
  if (linked) return linked.id;
  const email = requireEmail(identity);
  const person = await transaction.person.findUnique({ where: { email } });
  if (!person) return null;
  if (person.oidcSubject !== null || person.emailVerifiedAt === null)
    throw new ControlError('conflict', `${email} signs in with a password: do so, and confirm the address first.`);
  await transaction.person.update({ where: { id: person.id }, data: { oidcIssuer, oidcSubject } });
  return person.id;
}

/** An account that was asked for with this address, which the provider verified, gets its person here. */
async function newPerson(change: Change, identity: OidcIdentity): Promise<string> {
  const email = requireEmail(identity);
  const name = identity.name?.slice(0, 200) ?? email;
  const existing = await change.transaction.account.findUnique({ where: { email } });
  const account = existing ?? (await makePendingAccount(change, { name, email, purpose: '' }));
  const { issuer: oidcIssuer, subject: oidcSubject } = identity;
  const { id } = await change.transaction.person.create({
    data: { id: uuidv7(), accountId: account.id, email, name, emailVerifiedAt: new Date(), oidcIssuer, oidcSubject },
  });
  return id;
}

function requireEmail({ email }: OidcIdentity): string {
  if (email === null || email.length > 200)
    throw new ControlError('forbidden', 'The provider does not tell a verified e-mail address of yours.');
  return normalEmail(email);
}
