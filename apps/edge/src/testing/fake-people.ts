import { apiKeyDigest, ControlError, createAdminToken, type Operation } from '@tollgate/contracts';
import {
  accountsOperations,
  adminScopes,
  administrationOperations,
  adminTokenOperations,
  directoryOperations,
  memberOperations,
  ownKeyOperations,
  passkeyOperations,
  peopleOperations,
  secondFactorOperations,
  webhookOperations,
  type AccountRole,
  type AdminToken,
  type KeySummary,
  type OpenedSession,
  type PersonRole,
  type SignedIn,
  type SignInFeatures,
} from '@tollgate/contracts/accounts';
import type { NatsConnection, Subscription } from 'nats';
import type { z } from 'zod';
import { respond } from './control-responder';
import { callerKey, type FakeAccounts } from './fake-accounts';

/** The password of everybody here, and their second factor. */
export const rightPassword = 'correct horse battery';
export const rightCode = '123456';
const secondFactorToken = 'sign-in-that-wants-a-code';
/** The signature of the one passkey that there is, and the token of the challenge that it answers. */
export const rightSignature = 'c2lnbmVk';
const challengeToken = 'challenge-of-this-browser';
/** What a directory said of its one user. */
const directoryUserSaid = {
  ...{ userName: 'ada@example.com', externalId: '00u1', email: 'ada@example.com', name: 'Ada' },
  role: 'developer' as const,
};
const refused = { outcome: 'refused' as const };

const week = 7 * 86_400_000;

/**
 * The part of accounts that knows people: sessions in memory, canned answers for the rest, and a note of all
 * that was asked.
 */
export class FakePeople {
  readonly asked: { subject: string; request: unknown }[] = [];
  /** A session is resolved from here; deleting one ends it. */
  readonly sessions = new Map<string, SignedIn>();
  /** Of sessions that are opened from then on. */
  needsSecondFactor = false;
  features: SignInFeatures = { oidc: null, mail: false, needsFirstAdministrator: false, passkeys: null };
  /** Set, everything is refused as unavailable. */
  isAway = false;
  /** Set, nothing can be written into the audit log. */
  refusesActs = false;
  /** Accounts cannot be searched. */
  refusesSearches = false;
  /** Set, what was done under an idempotency key cannot be told again. */
  hasNewPepper = false;
  /** Set, accounts hangs: it hears every question and answers none. */
  isSilent = false;
  /** Set, sign-ins are throttled for so many seconds. */
  throttledS = 0;
  /** Set, passwords want a second factor beside them. */
  wantsSecondFactor = false;
  /** Admin tokens by their digests. */
  private readonly tokens = new Map<string, AdminToken>();
  /** What was done under idempotency keys, and for which question. */
  private readonly done = new Map<string, { digest: string; reply: Record<string, unknown> }>();
  private readonly answers = new Map<string, (request: unknown) => unknown>();
  private readonly responders: Subscription[] = [];
  private count = 0;

  constructor(
    private readonly connection: NatsConnection,
    private readonly accounts: FakeAccounts,
    private readonly pepper: string,
  ) {}

  /** Begins a session, as signing in would; its token is as long as a real one. */
  open(role: PersonRole, accountId = 'account-1', accountRole: AccountRole = 'owner'): OpenedSession {
    const n = ++this.count;
    const token = `session-token-that-is-long-enough-${n}`;
    const email = `${role}@example.com`;
    const createdAt = Date.now();
    const account = { id: accountId, name: 'Ada', email, status: 'active' as const, plan: 'pro', createdAt };
    const signedIn: SignedIn = {
      sessionId: `session-${n}`,
      person: { id: `person-${role}`, accountId, name: 'Ada', email, emailVerified: true, role, accountRole },
      account: { ...account, purpose: 'tests', rpm: 250, quotaTokens: null },
      needsSecondFactor: this.needsSecondFactor,
    };
    this.sessions.set(token, signedIn);
    return { ...signedIn, token, expiresAt: Date.now() + week };
  }

  /** Makes an admin token that works, unless `changes` say otherwise; returns the token itself. */
  createToken(changes: Partial<AdminToken> = {}): string {
    const token = createAdminToken('tg');
    const id = `00000000-0000-7000-8000-${String(++this.count).padStart(12, '0')}`;
    this.tokens.set(apiKeyDigest(token, this.pepper), {
      ...{ id, name: 'terraform', display: 'tg_adm_…abcd', scopes: [...adminScopes], createdBy: 'cli:ada' },
      ...{ createdAt: 1, expiresAt: null, lastUsedAt: null, revokedAt: null },
      accountId: null,
      ...changes,
    });
    return token;
  }

  /** The requests of one operation, oldest first. */
  askedOf({ subject }: { subject: string }): unknown[] {
    return this.asked.filter((one) => one.subject === subject).map(({ request }) => request);
  }

  start(): void {
    const opened = () => ({ outcome: 'opened' as const, session: this.open('user') });
    const { session, signUp, signIn, signOut, changePassword, forgot, reset, verifyEmail } = peopleOperations;
    this.serve(session, ({ token }) => ({
      signedIn: (token !== null && this.sessions.get(token)) || null,
      features: this.features,
    }));
    this.serve(signUp, opened);
    this.serve(signIn, ({ password }) => {
      if (this.throttledS > 0) return { outcome: 'throttled' as const, retryAfterS: this.throttledS };
      if (password !== rightPassword) return refused;
      return this.wantsSecondFactor ? { outcome: 'second-factor' as const, token: secondFactorToken } : opened();
    });
    this.serve(signOut, ({ token }) => {
      this.sessions.delete(token);
      return {};
    });
    this.serve(changePassword, opened);
    this.serve(forgot, () => ({}));
    this.serve(reset, () =>
      this.wantsSecondFactor ? { outcome: 'second-factor' as const, token: secondFactorToken } : this.open('user'),
    );
    this.serve(verifyEmail, () => ({}));
    this.serve(peopleOperations.sendVerification, () => ({}));
    this.serve(peopleOperations.updateProfile, ({ name }) => ({ person: { ...this.open('user').person, name } }));
    this.serve(peopleOperations.listSessions, () => ({ sessions: [sessionOf('session-1')], next: null }));
    this.serve(peopleOperations.revokeSession, () => ({}));
    this.serve(peopleOperations.firstAdministrator, () => {
      throw new ControlError('forbidden', 'The bootstrap secret is not right.');
    });
    this.serve(peopleOperations.makeResetLinks, () => ({
      links: [{ email: 'user@example.com', link: 'https://tollgate.example/reset?token=x', expiresAt: 5 }],
    }));
    this.serve(peopleOperations.setRole, () => ({ people: [] }));
    this.serve(peopleOperations.oidcBegin, () => ({
      url: 'https://login.example/authorize',
      token: 'attempt-of-this-browser',
    }));
    this.serve(peopleOperations.oidcFinish, () => this.open('user'));
    this.serveAdministration();
    this.serveMembers();
    this.serveSecondFactors();
    this.servePasskeys();
    this.serveDirectory();
    this.serveKeys();
    this.serveTokens();
    this.serveWhatOperatorsDo();
    this.serveWebhooks();
  }

  stop(): void {
    for (const responder of this.responders.splice(0)) responder.unsubscribe();
  }

  private serveAdministration(): void {
    const { account } = this.open('user');
    this.serve(accountsOperations.setAccountStatus, () => ({ account }));
    this.serve(accountsOperations.requestAccess, () => ({ account }));
    this.serve(administrationOperations.searchAccounts, () => {
      if (this.refusesSearches) throw new ControlError('internal', 'accounts cannot be searched');
      return { accounts: [{ ...account, keys: 2, role: 'user' as const }], next: null };
    });
    this.serve(administrationOperations.names, () => ({
      keys: { 'key-1': 'Notes' },
      accounts: { 'account-1': 'Ada' },
    }));
    this.serve(administrationOperations.listPlans, () => ({
      plans: [{ name: 'beta', rpm: 60, quotaTokens: 1_000_000, concurrency: null, keys: 3 }],
    }));
    this.serve(administrationOperations.listAudit, ({ after }) => ({
      lines: [auditLineOf(after ? '1' : '2')],
      next: after ? null : '2',
    }));
    this.serve(administrationOperations.recordAct, () => {
      if (this.refusesActs) throw new ControlError('unavailable', 'the audit log cannot be written');
      return {};
    });
  }

  private serveMembers(): void {
    const { person, account } = this.open('user');
    const times = { createdAt: 1, expiresAt: 2 };
    const invitation = { id: 'invitation-1', email: 'new@example.com', role: 'viewer' as const, invitedBy: 'ada' };
    const ownKey = { provider: 'acme', lastFour: null, setAt: 1, setBy: 'ada', problem: null };
    const providers = [{ id: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1' }];
    this.serve(ownKeyOperations.list, () => ({
      sealing: null,
      providers,
      accountId: account.id,
      keys: [ownKey],
      projectKeys: [],
    }));
    this.serve(ownKeyOperations.set, () => ({ key: ownKey }));
    this.serve(ownKeyOperations.remove, () => ({}));
    this.serve(ownKeyOperations.setForProject, ({ project }) => ({ key: { ...ownKey, project } }));
    this.serve(ownKeyOperations.removeForProject, () => ({}));
    this.serve(memberOperations.list, () => ({
      people: [{ ...person, keys: 1, hasSecondFactor: true }],
      invitations: [{ ...invitation, ...times }],
    }));
    this.serve(memberOperations.invite, ({ way }) => ({
      invitation: { ...invitation, ...times },
      link: way === 'mail' ? null : 'https://tollgate.example/join?token=x',
    }));
    this.serve(memberOperations.withdraw, () => ({ invitation: { ...invitation, ...times } }));
    this.serve(memberOperations.setRole, ({ role }) => ({ person: { ...person, accountRole: role } }));
    this.serve(memberOperations.remove, () => ({ person, revokedKeys: 1 }));
    this.serve(memberOperations.invited, () => ({ ...invitation, accountName: account.name }));
    this.serve(memberOperations.join, () => ({ outcome: 'opened' as const, session: this.open('user') }));
  }

  private serveDirectory(): void {
    const { list, get, create, change, remove } = directoryOperations;
    const times = { createdAt: 0, changedAt: 1_000 };
    const user = { ...directoryUserSaid, id: 'user-1', active: true, ...times };
    const found = (id: string) => {
      if (id === 'user-1') return { user };
      throw new ControlError('not_found', 'There is no such user in this directory.');
    };
    this.serve(list, () => ({ users: [user], total: 1 }));
    this.serve(get, ({ id }) => found(id));
    this.serve(create, ({ accountId: _, actor: __, ...said }) => {
      if (said.userName === 'taken') throw new ControlError('conflict', 'There is a user taken already.');
      if (said.userName === 'waits') throw new ControlError('forbidden', 'The account is pending.');
      return { user: { ...said, id: 'user-2', ...times } };
    });
    this.serve(change, ({ id }) => found(id));
    this.serve(remove, ({ id }) => {
      found(id);
      return {};
    });
  }

  private serveSecondFactors(): void {
    const { finish, state, begin, confirm, renewRecoveryCodes, remove, reset } = secondFactorOperations;
    const isRight = (code: string | undefined) => code === rightCode;
    const recoveryCodes = ['AAAA-BBBB-CCCC-DDDD'];
    this.serve(finish, ({ token, code }) => {
      if (token !== secondFactorToken) throw new ControlError('invalid', 'This sign-in took too long.');
      return isRight(code) ? { outcome: 'opened' as const, session: this.open('user') } : refused;
    });
    this.serve(state, () => ({ enabledAt: null, recoveryCodes: 0 }));
    this.serve(begin, ({ password }) =>
      password === rightPassword ? { outcome: 'begun' as const, secret: 'GEZDGNBV', uri: 'otpauth://totp/x' } : refused,
    );
    this.serve(confirm, ({ code }) => (isRight(code) ? { outcome: 'enabled' as const, recoveryCodes } : refused));
    this.serve(renewRecoveryCodes, ({ code }) =>
      isRight(code) ? { outcome: 'renewed' as const, recoveryCodes } : refused,
    );
    this.serve(remove, ({ code }) => (isRight(code) ? { outcome: 'removed' as const } : refused));
    this.serve(reset, () => ({ person: this.open('user').person }));
  }

  private servePasskeys(): void {
    const { list, ask, signIn, beginAdding, add, rename, remove } = passkeyOperations;
    const asked = { outcome: 'asked' as const, token: challengeToken, options: { challenge: 'Y2hhbGxlbmdl' } };
    const passkey = { id: 'passkey-1', name: 'Laptop', isSynced: false, createdAt: 1, lastUsedAt: null };
    type Proof = {
      password: string;
      passkey?: { token: string; answer: { response: { signature: string } } } | undefined;
    };
    const isRight = ({ token, answer }: NonNullable<Proof['passkey']>) =>
      token === challengeToken && answer.response.signature === rightSignature;
    const isProven = (shown: Proof) => shown.password === rightPassword && (!shown.passkey || isRight(shown.passkey));
    this.serve(list, () => ({ passkeys: [passkey] }));
    this.serve(ask, () =>
      this.throttledS > 0 ? { outcome: 'throttled' as const, retryAfterS: this.throttledS } : asked,
    );
    this.serve(signIn, (shown) =>
      isRight(shown) ? { outcome: 'opened' as const, session: this.open('user') } : refused,
    );
    this.serve(beginAdding, (shown) => (isProven(shown) ? asked : refused));
    this.serve(add, ({ token, name }) =>
      token === challengeToken
        ? { outcome: 'added' as const, passkey: { ...passkey, name }, recoveryCodes: null }
        : refused,
    );
    this.serve(rename, ({ name }) => ({ passkey: { ...passkey, name } }));
    this.serve(remove, (shown) => (isProven(shown) ? { outcome: 'removed' as const } : refused));
  }

  private serveKeys(): void {
    this.serve(accountsOperations.createKey, ({ name, accountId }) => ({
      apiKey: 'tg_sk_told_once',
      key: summary({ name, accountId: accountId ?? 'operator' }),
    }));
    this.serve(accountsOperations.getKey, (request) => {
      this.digestOf(request);
      return { key: summary({ id: request.keyId }) };
    });
    this.serve(accountsOperations.listKeys, () => ({ keys: [summary()], next: null }));
    this.serve(accountsOperations.projects, ({ accountId }) => ({ projects: this.accounts.projectsOf(accountId) }));
    this.serve(accountsOperations.rotateKey, (request) => {
      this.digestOf(request);
      return { apiKey: 'tg_sk_told_once', key: summary({ id: 'key-new' }), oldKey: summary() };
    });
    this.serve(accountsOperations.revokeKey, (request) => {
      this.digestOf(request);
      return { key: summary({ keyStatus: 'revoked' }) };
    });
    this.serve(accountsOperations.updateKey, (request) => {
      if (request.accountId !== undefined) this.digestOf(request);
      return { key: summary() };
    });
    this.serve(accountsOperations.renameProject, ({ name }) => ({ project: name, keys: 1, budgets: 0, ownKeys: 0 }));
    this.serve(accountsOperations.keyDigest, (request) => ({ digest: this.digestOf(request) }));
  }

  private serveTokens(): void {
    this.serve(adminTokenOperations.resolve, ({ digests }) => ({
      adminToken: digests.map((digest) => this.tokens.get(digest)).find((token) => token !== undefined) ?? null,
    }));
    this.serve(adminTokenOperations.doOnce, ({ tokenId, idempotencyKey, digest, subject, request }) => {
      if (!this.answers.has(subject)) throw new ControlError('not_found', `${subject} is nothing that is done once.`);
      const name = `${tokenId} ${idempotencyKey}`;
      const before = this.done.get(name);
      if (before && before.digest !== digest) return { reply: null, isReplay: false };
      if (before) return { reply: this.hasNewPepper ? null : before.reply, isReplay: true };
      const reply = { ...(this.answers.get(subject)?.(request) as object) };
      this.done.set(name, { digest, reply });
      return { reply, isReplay: false };
    });
  }

  private serveWhatOperatorsDo(): void {
    const madeAt = { createdAt: 1, expiresAt: null, lastUsedAt: null, revokedAt: null };
    const adminToken = {
      ...{ id: 'made', name: 'made', display: 'tg_adm_…made', scopes: ['keys:read'], accountId: null },
      ...{ createdBy: 'token:terraform (tg_adm_…abcd)', ...madeAt },
    };
    this.serve(adminTokenOperations.list, () => ({ tokens: [adminToken], next: null }));
    this.serve(adminTokenOperations.createUnder, () => ({ token: 'tg_adm_told_once', adminToken }));
    this.serve(adminTokenOperations.revoke, () => ({ adminToken: { ...adminToken, revokedAt: 2 } }));
    const mail = { id: 'mail-1', recipient: 'ada@example.com', subject: 'Hello', body: 'a link' };
    this.serve(peopleOperations.listMails, () => ({
      mails: [{ ...mail, createdAt: 1, sentAt: null, problem: null }],
      next: null,
    }));
  }

  private serveWebhooks(): void {
    const form = 'signed' as const;
    const webhook = { id: 'webhook-1', name: 'ops', host: 'ops.example', form, kinds: [], paused: false, createdAt: 1 };
    this.serve(webhookOperations.create, () => ({ webhook, secret: 'whsec_told_once' }));
    this.serve(webhookOperations.list, () => ({ webhooks: [webhook] }));
    this.serve(webhookOperations.update, ({ paused = false }) => ({ webhook: { ...webhook, paused } }));
    this.serve(webhookOperations.remove, () => ({}));
    this.serve(webhookOperations.test, () => ({ deliveryId: 'delivery-1' }));
    this.serve(webhookOperations.deliveries, () => ({ deliveries: [], next: null }));
  }

  private digestOf({ keyId, accountId }: { keyId: string; accountId?: string | undefined }): string {
    const digest = this.accounts.digestOf(keyId, accountId);
    if (digest === null) throw new ControlError('not_found', 'There is no such key.');
    return digest;
  }

  private serve<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    answer: (request: z.output<Request>) => z.input<Reply>,
  ): void {
    const noted = (request: z.output<Request>) => {
      if (this.isAway) throw new ControlError('unavailable', 'accounts is away');
      this.asked.push({ subject: operation.subject, request });
      return this.isSilent ? new Promise<never>(() => undefined) : answer(request);
    };
    this.answers.set(operation.subject, (request) => noted(operation.request.parse(request)));
    this.responders.push(respond(this.connection, operation, noted));
  }
}

function summary(changes: Partial<KeySummary> = {}): KeySummary {
  return { ...callerKey(), display: 'tg_sk_…abcd', createdAt: 1, accountName: 'Ada', person: null, ...changes };
}

function auditLineOf(id: string) {
  const detail = { rpm: 5, rpmBefore: null };
  return { id, at: 1_000, actor: 'root', action: 'key-changed', accountId: 'account-1', keyId: 'key-1', detail };
}

const sessionOf = (id: string) => ({ id, createdAt: 1, lastSeenAt: 2, expiresAt: 3, userAgent: 'a browser' });
