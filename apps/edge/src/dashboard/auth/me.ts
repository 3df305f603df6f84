import {
  accountPermission,
  contentLogRules,
  GatewayError,
  ownAccount,
  peopleOperations,
  person,
  rolePermissions,
  signInFeatures,
} from '@tollgate/contracts';
import type { ContentLogRules, OpenedSession, SignedIn, SignInFeatures } from '@tollgate/contracts';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import type { SessionCookie } from '../session-cookie';

/**
 * Who is signed in (null: nobody), and what this installation offers. Every change must carry `csrfToken`.
 */
export const me = z.object({
  user: person
    .omit({ accountId: true })
    .extend({ may: z.array(accountPermission).describe('What their role in the account lets them do') })
    .nullable(),
  account: ownAccount.omit({ email: true }).nullable(),
  csrfToken: z.string(),
  features: signInFeatures.extend({
    sandbox: z.boolean(),
    contentLog: contentLogRules
      .omit({ patterns: true })
      .nullable()
      .describe('How requests and answers of keys with logContent are logged; null: nothing is'),
  }),
});
type Me = z.infer<typeof me>;

/** What to tell a browser of itself. A session that is over is forgotten in it. */
export async function tellMe(cookie: SessionCookie, services: DashboardServices): Promise<Me> {
  const { signedIn, features } = await services.ask(peopleOperations.session, { token: cookie.token });
  if (!signedIn && cookie.token !== null) cookie.close();
  return toMe(signedIn, features, cookie, services);
}

/**
 * Opens a session in a browser and tells it who it is now.
 * @throws GatewayError 429 when it tried too often.
 */
export async function open(
  reply: { outcome: 'opened'; session: OpenedSession } | { outcome: 'throttled'; retryAfterS: number },
  cookie: SessionCookie,
  services: DashboardServices,
): Promise<Me> {
  if (reply.outcome === 'throttled')
    throw new GatewayError(429, `Too many tries: wait ${reply.retryAfterS} seconds.`, reply.retryAfterS);
  cookie.open(reply.session.token, reply.session.expiresAt);
  return tellMe(cookie, services);
}

function toMe(
  signedIn: SignedIn | null,
  features: SignInFeatures,
  cookie: SessionCookie,
  { catalog }: DashboardServices,
): Me {
  const { contentLog } = catalog;
  return {
    user: signedIn && withoutAccountId(signedIn.person),
    account: signedIn && withoutEmail(signedIn.account),
    csrfToken: cookie.csrfToken(),
    features: { ...features, sandbox: catalog.isSandbox, contentLog: contentLog && withoutPatterns(contentLog) },
  };
}

function withoutAccountId({ accountId: _, ...user }: SignedIn['person']): NonNullable<Me['user']> {
  return { ...user, may: [...rolePermissions[user.accountRole]] };
}

function withoutEmail({ email: _, ...account }: SignedIn['account']): NonNullable<Me['account']> {
  return account;
}

/** What an operator looks for may be a secret itself. */
function withoutPatterns({ patterns: _, ...rules }: ContentLogRules): NonNullable<Me['features']['contentLog']> {
  return rules;
}
