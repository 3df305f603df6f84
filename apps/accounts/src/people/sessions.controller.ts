import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { peopleOperations } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { passkeySite } from '../second-factor/passkey-site';
import { AccountsSettings } from '../settings';
import { FirstAdministrator } from './first-administrator';
import { Sessions } from './sessions';

/** The operations on sessions. All throw ControlError `unavailable` when the database is away. */
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly first: FirstAdministrator,
    private readonly settings: AccountsSettings,
  ) {}

  /** Who a token belongs to (null: nobody), and how people may sign in here. */
  @Serve(peopleOperations.session)
  async session({ token }: Request<'session'>): Promise<Reply<'session'>> {
    const [signedIn, needsFirstAdministrator] = await Promise.all([
      token === null ? null : this.sessions.resolve(token),
      this.first.isNeeded(),
    ]);
    const { oidc, smtp, publicUrl } = this.settings.people;
    const site = passkeySite(publicUrl);
    const passkeys = site && { origin: site.origin };
    const features = { oidc: oidc && { name: oidc.name }, mail: smtp !== null, needsFirstAdministrator, passkeys };
    return { signedIn, features };
  }

  @Serve(peopleOperations.signOut)
  async signOut({ token }: Request<'signOut'>): Promise<Reply<'signOut'>> {
    await this.sessions.close(token);
    return {};
  }

  /** @throws ControlError `invalid` for a wrong cursor. */
  @Serve(peopleOperations.listSessions)
  async list({ personId, ...wish }: Request<'listSessions'>): Promise<Reply<'listSessions'>> {
    const { items: sessions, next } = await this.sessions.page(personId, wish);
    return { sessions, next };
  }

  /** @throws ControlError `not_found` when the person has no such session. */
  @Serve(peopleOperations.revokeSession)
  async revoke({ personId, sessionId }: Request<'revokeSession'>): Promise<Reply<'revokeSession'>> {
    if (!(await this.sessions.end(personId, sessionId)))
      throw new ControlError('not_found', 'There is no such session; it may have ended already.');
    return {};
  }
}
