import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { PassportStrategy, AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Reflector } from '@nestjs/core';
import { apiKeyDigest, GatewayError, isAdminToken, isApiKey, isImportedKey, rateLimitError } from '@tollgate/contracts';
import type { AdminToken } from '@tollgate/contracts/accounts';
import { rateLimitHeaders, retryAfterS } from '../admission/rate-limit-headers';
import { RateLimitStore } from '../admission/rate-limit-store';
import { HeaderBearer } from '../callers/bearer.strategy';
import { presentedKey } from '../callers/authenticator';
import { Clock } from '../clock';
import { requireContext } from '../http/request-context';
import { Settings } from '../settings';
import { AdminTokenLookups } from './admin-token-lookups';

const doorOfHandler = 'admin-door';

/** Says which scope a handler opens to: without it the guard lets nobody in. */
export const OpensTo = (door: { scope: string }): MethodDecorator => SetMetadata(doorOfHandler, door);

/** A request that passed the AdminGuard. */
export interface AdminRequest extends FastifyRequest {
  user: AdminToken;
}

/** Lets requests pass whose admin token has the scope of the route. */
@Injectable()
export class AdminGuard extends AuthGuard('admin-bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const door = this.reflector.get<{ scope: string } | undefined>(doorOfHandler, context.getHandler());
    if (!door) throw new GatewayError(403, 'This is open to nobody.');
    await super.canActivate(context);
    const { scopes } = context.switchToHttp().getRequest<AdminRequest>().user;
    if (scopes.includes(door.scope)) return true;
    const message = `This admin token has not the scope ${door.scope}; it has ${scopes.join(', ')}.`;
    throw new GatewayError(403, message).because('insufficient_scope');
  }

  /** What the strategy threw reaches who asked as it is. */
  override handleRequest<User>(error: unknown, user: User | false | null): User {
    if (error instanceof Error) throw error;
    if (user) return user;
    throw new GatewayError(401, 'No admin token was given: send it in the header Authorization: Bearer <token>.');
  }
}

/** Requests that a token may make in any 60 seconds. */
export const requestsAMinute = 600;

/**
 * Admin tokens. Accounts is asked for each request, so that one which is revoked opens nothing from then on;
 * one that is mistyped costs no question, and neither does one that was met before and has no unit left.
 */
@Injectable()
export class AdminStrategy extends PassportStrategy(HeaderBearer, 'admin-bearer') {
  constructor(
    private readonly lookups: AdminTokenLookups,
    private readonly limits: RateLimitStore,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    super({ passReqToCallback: true });
  }

  /** @throws GatewayError 401 for what is no token that works, 429, 503 where nobody can say. */
  async validate({ raw }: Pick<FastifyRequest, 'raw'>, presented: string): Promise<AdminToken> {
    if (isApiKey(presented) || isImportedKey(presented))
      throw new GatewayError(401, 'This is an API key, which opens no part of the admin API: send an admin token.');
    if (!isAdminToken(presented)) throw invalidToken();
    const { pepper, formerPeppers } = this.settings;
    const digest = apiKeyDigest(presented, pepper);
    // Units are counted by ids, so that tokens which somebody made up leave no trace in the limiter.
    const met = this.lookups.idOf(digest);
    if (met !== null) await this.takeUnit(met, raw);
    const token = await this.lookups.find(
      digest,
      formerPeppers.map((former) => apiKeyDigest(presented, former)),
    );
    if (!token) throw invalidToken();
    if (met === null) await this.takeUnit(token.id, raw);
    if (token.revokedAt !== null) throw new GatewayError(401, 'This admin token has been revoked: use another.');
    if (token.expiresAt !== null && token.expiresAt <= this.clock.nowMs())
      throw new GatewayError(401, 'This admin token has expired: make a new one with tollgate tokens create.');
    return token;
  }

  protected override presented({ authorization }: IncomingHttpHeaders): string | null {
    return authorization === undefined ? null : presentedKey({ authorization });
  }

  /** @throws GatewayError 429. */
  private async takeUnit(tokenId: string, message: FastifyRequest['raw']): Promise<void> {
    const state = await this.limits.take(tokenId, requestsAMinute);
    requireContext(message).limitHeaders = rateLimitHeaders(state, { quota: null, tokens: null }, this.clock.nowMs());
    if (!state.admitted) throw rateLimitError(retryAfterS(state), { limit: 'rpm' });
  }
}

function invalidToken(): GatewayError {
  return new GatewayError(401, 'This admin token is not valid: check that it was copied in full.');
}
