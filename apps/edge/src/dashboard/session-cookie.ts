import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const sessionName = 'tollgate_session';
const visitorName = 'tollgate_visitor';
const attemptName = 'tollgate_sign_in';
const attemptMaxAgeS = 600;
const secondFactorName = 'tollgate_second_factor';
const secondFactorMaxAgeS = 300;
const passkeyName = 'tollgate_passkey';
const passkeyMaxAgeS = 300;

type CookieRequest = Pick<FastifyRequest, 'cookies' | 'protocol'>;
type CookieReply = Pick<FastifyReply, 'setCookie' | 'clearCookie'>;

/**
 * What one browser keeps of us: the token of its session or, while it has none, a random value that its CSRF
 * token hangs on. Nothing else is in a cookie. On HTTPS their names begin with `__Host-`, so that no other
 * host of the domain can set them.
 */
export class SessionCookie {
  private session: string | null;
  private visitor: string | null;
  private pending: string | null;

  constructor(
    private readonly request: CookieRequest,
    private readonly reply: CookieReply,
    private readonly secret: string,
  ) {
    this.session = this.read(sessionName);
    this.visitor = this.read(visitorName);
    this.pending = this.read(secondFactorName);
  }

  /** The token of the session that the browser shows; null when it shows none. */
  get token(): string | null {
    return this.session;
  }

  /** Begins a session in this browser. `expiresAt` is its absolute end, epoch milliseconds. */
  open(token: string, expiresAt: number): void {
    this.session = token;
    this.visitor = null;
    this.write(sessionName, token, Math.max(0, Math.floor((expiresAt - Date.now()) / 1_000)));
    this.clear(visitorName);
    this.forgetSecondFactor();
  }

  /** Forgets the sign-in that wants a code, if there is one. */
  forgetSecondFactor(): void {
    if (this.pending !== null) this.clear(secondFactorName);
    this.pending = null;
  }

  /** Ends it. */
  close(): void {
    this.session = null;
    this.clear(sessionName);
  }

  /**
   * The token that every change must carry. Made for this browser alone: it can be made from the cookie and
   * our secret only.
   */
  csrfToken(): string {
    if (this.session === null && this.visitor === null) {
      this.visitor = randomBytes(32).toString('base64url');
      this.write(visitorName, this.visitor);
    }
    return this.csrfTokenOf(this.session ?? this.visitor ?? '');
  }

  /** Whether a change carries the right one. */
  accepts(csrfToken: string): boolean {
    const basis = this.session ?? this.visitor;
    if (basis === null) return false;
    const [given, right] = [Buffer.from(csrfToken), Buffer.from(this.csrfTokenOf(basis))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Notes the sign-in that this browser began at an OpenID provider. */
  beginAttempt(token: string): void {
    this.write(attemptName, token, attemptMaxAgeS);
  }

  /** That sign-in, once; null when this browser began none. */
  takeAttempt(): string | null {
    return this.take(attemptName);
  }

  /** Notes the challenge that a passkey of this browser is to answer. */
  awaitPasskey(token: string): void {
    this.write(passkeyName, token, passkeyMaxAgeS);
  }

  /** The token of that challenge, which still waits for its answer; null when this browser was asked none. */
  get passkey(): string | null {
    return this.read(passkeyName);
  }

  /** The token of that challenge, once; null when this browser was asked none. */
  takePasskey(): string | null {
    return this.take(passkeyName);
  }

  /** Notes a sign-in with the right password that still wants a code. */
  awaitSecondFactor(token: string): void {
    this.pending = token;
    this.write(secondFactorName, token, secondFactorMaxAgeS);
  }

  /** The token of that sign-in; null when this browser is in none. */
  get secondFactor(): string | null {
    return this.pending;
  }

  private csrfTokenOf(basis: string): string {
    return createHmac('sha256', this.secret).update(`dashboard csrf ${basis}`).digest('base64url');
  }

  private get isSecure(): boolean {
    return this.request.protocol === 'https';
  }

  private nameOf(name: string): string {
    return this.isSecure ? `__Host-${name}` : name;
  }

  private read(name: string): string | null {
    const value = this.request.cookies[this.nameOf(name)];
    return value !== undefined && /^[\w-]{20,100}$/.test(value) ? value : null;
  }

  /** The value of a cookie, once. */
  private take(name: string): string | null {
    const value = this.read(name);
    if (value !== null) this.clear(name);
    return value;
  }

  private write(name: string, value: string, maxAge?: number): void {
    const lasting = maxAge === undefined ? {} : { maxAge };
    this.reply.setCookie(this.nameOf(name), value, { ...this.flags, ...lasting });
  }

  private clear(name: string): void {
    this.reply.clearCookie(this.nameOf(name), this.flags);
  }

  private get flags() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure } as const;
  }
}
