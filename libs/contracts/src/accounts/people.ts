import { z } from 'zod';
import { accountRole } from './account-roles';
import { account, accountStatus } from './accounts';
import { operation } from '../operation';
import { plan } from './plan';
import { text, thingName } from '../text';

export const personRole = z.enum(['user', 'administrator']);
export type PersonRole = z.infer<typeof personRole>;

export const personName = thingName(200);
export const emailAddress = z.email('must be an e-mail address').max(200);
/** Long rather than complicated: no rules of composition. */
export const newPassword = z.string().min(12, 'must have at least 12 characters').max(200);
/** What somebody types to sign in may be anything. */
export const typedPassword = z.string().min(1).max(1_000);

/**
 * Who signs in. `emailVerified`: they have proven that the address is theirs. `role`: what they are in the
 * gateway; `accountRole`: in their account. Of an accounts service of the release before everybody is an
 * owner, as they are there.
 */
export const person = z.object({
  id: z.string(),
  accountId: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  role: personRole,
  accountRole: accountRole.default('owner'),
});
export type Person = z.infer<typeof person>;

/** An account as its own people see it, with the limits of its plan; null means unlimited. */
export const ownAccount = account.extend({
  purpose: z.string(),
  rpm: z.number().int().nonnegative().nullable(),
  quotaTokens: z.number().int().nonnegative().nullable(),
});

/**
 * A valid session: who it is, and for which account. `needsSecondFactor`: they have none beside their
 * password, and can do nothing else until they have set one up.
 */
export const signedIn = z.object({
  sessionId: z.string(),
  person,
  account: ownAccount,
  needsSecondFactor: z.boolean().default(false),
});
export type SignedIn = z.infer<typeof signedIn>;

/**
 * A session that was just opened. `token` is what the browser's cookie holds; it is told here only.
 * `expiresAt` is its absolute end, epoch milliseconds.
 */
export const openedSession = signedIn.extend({ token: z.string(), expiresAt: z.number() });
export type OpenedSession = z.infer<typeof openedSession>;

/**
 * What this installation offers. `oidc` null: no provider is set up. `mail` false: mails stay in the outbox,
 * where the operator reads them. `passkeys`: at which address they work, and there alone; null where they
 * cannot, as browsers want https (or localhost) and a name, and of an accounts of the release before.
 */
export const signInFeatures = z.object({
  oidc: z.object({ name: z.string() }).nullable(),
  mail: z.boolean(),
  needsFirstAdministrator: z.boolean(),
  passkeys: z.object({ origin: z.string() }).nullable().default(null),
});
export type SignInFeatures = z.infer<typeof signInFeatures>;

/** A session as its owner sees it. `expiresAt` moves with use, up to the absolute end. */
export const sessionSummary = z.object({
  id: z.string(),
  createdAt: z.number(),
  lastSeenAt: z.number(),
  expiresAt: z.number(),
  userAgent: z.string(),
});

/**
 * A mail of the outbox. `sentAt` null: not sent; `problem` says why the last attempt failed, null when it did
 * not.
 */
export const mail = z.object({
  id: z.string(),
  recipient: z.string(),
  subject: z.string(),
  body: z.string(),
  createdAt: z.number(),
  sentAt: z.number().nullable(),
  problem: z.string().nullable(),
});
export type Mail = z.infer<typeof mail>;

/** From where somebody comes: the address that throttles count by, and what their browser calls itself. */
export const client = { address: z.string().max(200), userAgent: text(500).default('') };

/** Too many tries; `retryAfterS` is at least 1. */
export const throttled = z.object({ outcome: z.literal('throttled'), retryAfterS: z.number().int() });
export const opened = z.object({ outcome: z.literal('opened'), session: openedSession });
/** The password was right, and there is a second factor: `token` stands for this sign-in, for five minutes. */
const secondFactorWanted = z.object({ outcome: z.literal('second-factor'), token: z.string() });

const self = { personId: z.string(), sessionId: z.string() };
const page = { limit: z.number().int().min(1).max(500).default(100), after: z.string().max(200).optional() };

/**
 * A link that sets a password once, until `expiresAt` (epoch milliseconds). It is as good as the password: it
 * is told this once.
 */
export const resetLink = z.object({ email: z.string(), link: z.string(), expiresAt: z.number() });
export type ResetLink = z.infer<typeof resetLink>;

/** People and their sessions. Accounts answers. Passwords and tokens go over NATS, and are in no log. */
export const peopleOperations = {
  /**
   * Asks for access: makes a pending account with its person, and signs in. `conflict` when the address is
   * taken.
   */
  signUp: operation(
    'accounts.people.sign-up',
    z.object({
      name: personName,
      email: emailAddress,
      password: newPassword,
      purpose: text(2000).default(''),
      ...client,
    }),
    z.discriminatedUnion('outcome', [opened, throttled]),
  ),
  /** `refused` for every wrong pair, whether or not the address is known. */
  signIn: operation(
    'accounts.people.sign-in',
    z.object({ email: text(200), password: typedPassword, ...client }),
    z.discriminatedUnion('outcome', [
      opened,
      secondFactorWanted,
      throttled,
      z.object({ outcome: z.literal('refused') }),
    ]),
  ),
  signOut: operation('accounts.people.sign-out', z.object({ token: z.string() }), z.object({})),
  /** Who a cookie's token belongs to; `signedIn` null: nobody (any more). */
  session: operation(
    'accounts.people.session',
    z.object({ token: z.string().max(200).nullable() }),
    z.object({ signedIn: signedIn.nullable(), features: signInFeatures }),
  ),
  /**
   * All other sessions of the person end, and this one gets a new token. `forbidden` when `current` is wrong.
   */
  changePassword: operation(
    'accounts.people.change-password',
    z.object({ ...self, current: typedPassword, next: newPassword, ...client }),
    z.discriminatedUnion('outcome', [opened, throttled]),
  ),
  /** Mails a link, when there is somebody with this address. Says nothing about it. */
  forgot: operation('accounts.people.forgot', z.object({ email: text(200), ...client }), z.object({})),
  /**
   * Sets a password by a mailed token; all sessions end and a new one begins, where a second factor is not to
   * be told first. `invalid` for a token that is wrong, used or too old.
   */
  reset: operation(
    'accounts.people.reset',
    z.object({ token: z.string().max(200), password: newPassword, ...client }),
    z.union([openedSession, secondFactorWanted]),
  ),
  /**
   * Makes a link by which a person of an account (by its id or email) can set a password, for an
   * administrator to hand over: who gets it is vouched for by them. Earlier links of theirs stop working.
   * `personId` undefined: one for each person. `not_found` where nobody signs in for it, and for somebody of
   * another account.
   */
  makeResetLinks: operation(
    'accounts.people.make-reset-links',
    z.object({ account: text(200), personId: text(200).optional(), actor: text(200).min(1) }),
    z.object({ links: z.array(resetLink) }),
  ),
  verifyEmail: operation('accounts.people.verify-email', z.object({ token: z.string().max(200) }), z.object({})),
  sendVerification: operation('accounts.people.send-verification', z.object({ personId: z.string() }), z.object({})),
  updateProfile: operation(
    'accounts.people.update-profile',
    z.object({ personId: z.string(), name: personName }),
    z.object({ person }),
  ),
  listSessions: operation(
    'accounts.people.list-sessions',
    z.object({ personId: z.string(), ...page }),
    z.object({ sessions: z.array(sessionSummary), next: z.string().nullable() }),
  ),
  /** `not_found` for a session of somebody else. */
  revokeSession: operation('accounts.people.revoke-session', z.object(self), z.object({})),
  /** `forbidden` for a wrong secret, `not_found` once there is an administrator. */
  firstAdministrator: operation(
    'accounts.people.first-administrator',
    z.object({ secret: z.string().max(500), name: personName, email: emailAddress, password: newPassword, ...client }),
    z.discriminatedUnion('outcome', [opened, throttled]),
  ),
  /**
   * Makes the owners of an account administrators of the gateway, or all of its people users again.
   * `conflict` for the last administrator.
   */
  setRole: operation(
    'accounts.people.set-role',
    z.object({ account: text(200), role: personRole, actor: text(200).min(1) }),
    z.object({ people: z.array(person) }),
  ),
  /**
   * Where to send the browser, and the token of the attempt, which its cookie keeps. `not_found` when no
   * provider is set up, `conflict` where a network began too many of late. An edge of the release before
   * tells no `address`.
   */
  oidcBegin: operation(
    'accounts.people.oidc-begin',
    z.object({ address: client.address.optional() }),
    z.object({ url: z.string(), token: z.string() }),
  ),
  /** `query` is the query of the address that the provider sent the browser back to. */
  oidcFinish: operation(
    'accounts.people.oidc-finish',
    z.object({ token: z.string().max(200), query: z.string().max(8_192), ...client }),
    openedSession,
  ),
  /** The outbox, newest first. */
  listMails: operation(
    'accounts.people.list-mails',
    z.object(page),
    z.object({ mails: z.array(mail), next: z.string().nullable() }),
  ),
};

/** A line of the audit log. `detail` says what was asked for and what it was before. */
const auditLine = z.object({
  id: z.string(),
  at: z.number(),
  actor: z.string(),
  action: z.string(),
  accountId: z.string(),
  keyId: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});

/** A line as people read it. A name is null where nobody knows it any more, or accounts does not answer. */
export const namedAuditLine = auditLine.extend({ accountName: z.string().nullable(), keyName: z.string().nullable() });
export type NamedAuditLine = z.infer<typeof namedAuditLine>;

/**
 * An account as administrators see it. `keys` counts those that are not revoked; `role` null: nobody signs in
 * for it.
 */
export const accountRow = account.extend({
  purpose: z.string(),
  keys: z.number().int(),
  role: personRole.nullable(),
});

const ids = z.array(text(256)).max(500);

export const administrationOperations = {
  /**
   * Newest first; `query` is a part of a name or an address, or an id. `signsIn`: only accounts that people
   * sign in to. `people`: how many do; absent: accounts is of a release before.
   */
  searchAccounts: operation(
    'accounts.administration.search-accounts',
    z.object({
      status: accountStatus.optional(),
      query: text(200).optional(),
      signsIn: z.literal(true).optional(),
      ...page,
    }),
    z.object({
      accounts: z.array(accountRow.extend({ people: z.number().int().optional() })),
      next: z.string().nullable(),
    }),
  ),
  /**
   * Writes down what an administrator is about to do elsewhere, under their own account; without one under
   * the operator's, which is made when it is first needed.
   */
  recordAct: operation(
    'accounts.administration.record-act',
    z.object({
      accountId: z.string().optional(),
      actor: text(200).min(1),
      action: z.string().regex(/^[a-z][a-z-]{0,60}$/),
      detail: z.record(z.string().max(60), z.union([text(500), z.number(), z.boolean()]).nullable()),
    }),
    z.object({}),
  ),
  /** What keys and accounts are called, by their ids. An id that nothing has is left out. */
  names: operation(
    'accounts.administration.names',
    z.object({ keyIds: ids, accountIds: ids }),
    z.object({ keys: z.record(z.string(), z.string()), accounts: z.record(z.string(), z.string()) }),
  ),
  /** The plans of this gateway, with their limits. */
  listPlans: operation('accounts.administration.list-plans', z.object({}), z.object({ plans: z.array(plan) })),
  /**
   * Newest first. `query` is a part of who acted, or of the name of the account (or its address) or of the
   * key.
   */
  listAudit: operation(
    'accounts.administration.list-audit',
    z.object({
      accountId: z.string().optional(),
      action: text(60).optional(),
      query: text(200).optional(),
      ...page,
    }),
    z.object({ lines: z.array(auditLine), next: z.string().nullable() }),
  ),
};
