import { Controller } from '@nestjs/common';
import { peopleOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { FirstAdministrator } from './first-administrator';
import { PeopleSettings } from './people-settings';
import { Sessions } from './sessions';

/** The operations on sessions. */
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly first: FirstAdministrator,
    private readonly settings: PeopleSettings,
  ) {}

  @Serve(peopleOperations.session)
  async session({ token }: Request<'session'>): Promise<Reply<'session'>> {
    const [signedIn, needsFirstAdministrator] = await Promise.all([
      token === null ? null : this.sessions.resolve(token),
      this.first.isNeeded(),
    ]);
    const { oidc, smtp } = this.settings;
    const features = { oidc: oidc && { name: oidc.name }, mail: smtp !== null, needsFirstAdministrator };
    return { signedIn, features };
  }

  @Serve(peopleOperations.signOut)
  signOut({ token }: Request<'signOut'>): Promise<Reply<'signOut'>> {
    return this.sessions.close(token);
  }

  @Serve(peopleOperations.listSessions)
  list(request: Request<'listSessions'>): Promise<Reply<'listSessions'>> {
    return this.sessions.list(request);
  }

  @Serve(peopleOperations.revokeSession)
  revoke(request: Request<'revokeSession'>): Promise<Reply<'revokeSession'>> {
    return this.sessions.revoke(request);
  }
}
