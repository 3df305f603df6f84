import { GatewayError } from '@tollgate/contracts';
import {
  accountPermission,
  administrationOperations,
  ownAccount,
  peopleOperations,
  person,
  rolePermissions,
  signInFeatures,
} from '@tollgate/contracts/accounts';
import type { OpenedSession, SignedIn, SignInFeatures } from '@tollgate/contracts/accounts';
import { contentLogRules } from '@tollgate/contracts/metering';
import type { ContentLogRules } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import type { SessionCookie } from '../session-cookie';

/** Names of accounts that ask for access: as many as one page counts. */
const mostNames = 50;
/** A page waits for this answer before it shows anything. */
const whileOpening = { timeoutMs: 1_000, absentMs: 0 };

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
  waiting: z
    .object({ names: z.array(z.string()), isMore: z.boolean() })
    .nullable()
    .describe('Whose accounts ask for access, for administrators of the gateway; null: for others'),
  needsSecondFactor: z.boolean().describe('They have to set up a second factor, and can do nothing else until then'),
  wantsSecondFactor: z.boolean().describe('The password was right: tell a code to POST /api/auth/second-factor'),
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
  const isAdministrator = signedIn?.person.role === 'administrator' && !signedIn.needsSecondFactor;
  const waiting = isAdministrator ? await whoWaits(services) : null;
  return toMe({ signedIn, features, waiting }, cookie, services);
}

/** Null: nobody can say just now, which keeps nobody out. */
async function whoWaits(services: DashboardServices): Promise<Me['waiting']> {
  const asked = { status: 'pending', limit: mostNames } as const;
  try {
    const found = await services.ask(administrationOperations.searchAccounts, asked, whileOpening);
    return { names: found.accounts.map(({ name }) => name), isMore: found.next !== null };
  } catch {
    return null;
  }
}

/** A session, or a sign-in that wants a code before it is one. */
type Opening = { outcome: 'opened'; session: OpenedSession } | { outcome: 'second-factor'; token: string };
interface Throttled {
  outcome: 'throttled';
  retryAfterS: number;
}

/**
 * Opens a session in a browser, unless a code is wanted first, and tells it who it is now.
 * @throws GatewayError 429 when it tried too often.
 */
export async function open(
  reply: Opening | Throttled,
  cookie: SessionCookie,
  services: DashboardServices,
): Promise<Me> {
  const outcome = requirePatience(reply);
  if (outcome.outcome === 'second-factor') cookie.awaitSecondFactor(outcome.token);
  else cookie.open(outcome.session.token, outcome.session.expiresAt);
  return tellMe(cookie, services);
}

/** An outcome that is none of too many tries. @throws GatewayError 429. */
export function requirePatience<Reply extends { outcome: string }>(reply: Reply): Exclude<Reply, Throttled> {
  if (isThrottled(reply))
    throw new GatewayError(429, `Too many tries: wait ${reply.retryAfterS} seconds.`, reply.retryAfterS);
  return reply as Exclude<Reply, Throttled>;
}

function isThrottled(reply: { outcome: string }): reply is Throttled {
  return reply.outcome === 'throttled';
}

interface Known {
  signedIn: SignedIn | null;
  features: SignInFeatures;
  waiting: Me['waiting'];
}

function toMe({ signedIn, features, waiting }: Known, cookie: SessionCookie, { catalog }: DashboardServices): Me {
  const { contentLog } = catalog;
  return {
    user: signedIn && withoutAccountId(signedIn.person),
    account: signedIn && withoutEmail(signedIn.account),
    csrfToken: cookie.csrfToken(),
    waiting,
    needsSecondFactor: signedIn?.needsSecondFactor ?? false,
    wantsSecondFactor: signedIn === null && cookie.secondFactor !== null,
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
