import { z } from 'zod/mini';
import { get, keepCsrfToken, patch, post, tell } from './client';

const user = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  role: z.enum(['user', 'administrator']),
  /** What they are in their account, and what that lets them do. */
  accountRole: z.enum(['owner', 'administrator', 'developer', 'viewer', 'billing']),
  may: z.array(z.string()),
});
export type User = z.infer<typeof user>;

/** `rpm` and `quotaTokens` null mean unlimited. `createdAt` is epoch milliseconds. */
const ownAccount = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['pending', 'active', 'suspended', 'declined']),
  plan: z.string(),
  rpm: z.nullable(z.number()),
  quotaTokens: z.nullable(z.number()),
  purpose: z.string(),
  createdAt: z.number(),
});
export type OwnAccount = z.infer<typeof ownAccount>;

/** `user` null: nobody is signed in. */
export const me = z.object({
  user: z.nullable(user),
  account: z.nullable(ownAccount),
  csrfToken: z.string(),
  /** Whose accounts ask for access, for administrators. An edge of the release before does not tell. */
  waiting: z.optional(z.nullable(z.object({ names: z.array(z.string()), isMore: z.boolean() }))),
  /** They have to set up a second factor, and can do nothing else until then. */
  needsSecondFactor: z.optional(z.boolean()),
  /** The password was right, and a code is wanted beside it. */
  wantsSecondFactor: z.boolean(),
  features: z.object({
    oidc: z.nullable(z.object({ name: z.string() })),
    mail: z.boolean(),
    needsFirstAdministrator: z.boolean(),
    /** At which address they work; null: nowhere. */
    passkeys: z.nullable(z.object({ origin: z.string() })),
    sandbox: z.boolean(),
    /** How the requests of keys that have it switched on are logged; null: nothing is. */
    contentLog: z.nullable(
      z.object({ retentionDays: z.number(), maxBodyBytes: z.number(), detectors: z.array(z.string()) }),
    ),
  }),
});
export type Me = z.infer<typeof me>;

const session = z.object({
  id: z.string(),
  createdAt: z.number(),
  lastSeenAt: z.number(),
  expiresAt: z.number(),
  userAgent: z.nullable(z.string()),
  current: z.boolean(),
});
export type Session = z.infer<typeof session>;

/** Keeps the token of the session that an answer begins. */
export async function signedIn(answer: Promise<Me>): Promise<Me> {
  const told = await answer;
  keepCsrfToken(told.csrfToken);
  return told;
}

export const fetchMe = () => signedIn(get('/api/auth/me', me));
export const signIn = (body: { email: string; password: string }) => signedIn(post('/api/auth/sign-in', body, me));
export const tellSecondFactor = (code: string) => signedIn(post('/api/auth/second-factor', { code }, me));
export const signUp = (body: { name: string; email: string; password: string; purpose: string }) =>
  signedIn(post('/api/auth/sign-up', body, me));
export const becomeFirstAdministrator = (body: { secret: string; name: string; email: string; password: string }) =>
  signedIn(post('/api/auth/first-administrator', body, me));
export const resetPassword = (body: { token: string; password: string }) => signedIn(post('/api/auth/reset', body, me));
export const changePassword = (body: { current: string; next: string }) =>
  signedIn(post('/api/auth/password', body, me));
export const signOut = () => tell('/api/auth/sign-out');
export const askForReset = (email: string) => tell('/api/auth/forgot', { email });
export const verifyEmail = (token: string) => tell('/api/auth/verify-email', { token });
export const sendVerification = () => tell('/api/auth/send-verification');
export const changeName = async (name: string) => {
  await patch('/api/auth/profile', { name }, z.unknown());
};
export const fetchSessions = () => get('/api/auth/sessions', z.object({ data: z.array(session) }));
export const endSession = (id: string) => tell(`/api/auth/sessions/${encodeURIComponent(id)}/revoke`);
