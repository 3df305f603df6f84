import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import {
  apiKeyDigest,
  GatewayError,
  isAdminToken,
  isApiKey,
  isImportedKey,
  rateLimitError,
  type AdminToken,
} from '@tollgate/contracts';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { rateLimitHeaders, retryAfterS } from '../admission/rate-limit-headers';
import { RateLimitStore } from '../admission/rate-limit-store';
import { HeaderBearer } from '../callers/header-bearer';
import { presentedKey } from '../callers/presented-key';
import { Clock } from '../clock';
import { requireContext } from '../http/request-context';
import { Settings } from '../settings';
import { AdminTokenLookups } from './admin-token-lookups';

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
