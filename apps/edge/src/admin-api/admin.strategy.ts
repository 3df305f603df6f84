import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import {
  adminTokenOperations,
  apiKeyDigest,
  GatewayError,
  isAdminToken,
  isApiKey,
  isImportedKey,
  type AdminToken,
} from '@tollgate/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import { HeaderBearer } from '../callers/header-bearer';
import { presentedKey } from '../callers/presented-key';
import { Clock } from '../clock';
import { DashboardServices } from '../dashboard/dashboard-services';
import { Settings } from '../settings';

/**
 * Admin tokens. Accounts is asked for each request, so that one which is revoked opens nothing from then on;
 * one that is mistyped costs no question.
 */
@Injectable()
export class AdminStrategy extends PassportStrategy(HeaderBearer, 'admin-bearer') {
  constructor(
    private readonly services: DashboardServices,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws GatewayError 401 for what is no token that works, 503 where nobody can say. */
  async validate(presented: string): Promise<AdminToken> {
    if (isApiKey(presented) || isImportedKey(presented))
      throw new GatewayError(401, 'This is an API key, which opens no part of the admin API: send an admin token.');
    if (!isAdminToken(presented)) throw invalidToken();
    const peppers = [this.settings.pepper, ...this.settings.formerPeppers];
    const digests = peppers.map((pepper) => apiKeyDigest(presented, pepper));
    const { adminToken } = await this.services.ask(adminTokenOperations.resolve, { digests });
    if (!adminToken) throw invalidToken();
    if (adminToken.revokedAt !== null) throw new GatewayError(401, 'This admin token has been revoked: use another.');
    if (adminToken.expiresAt !== null && adminToken.expiresAt <= this.clock.nowMs())
      throw new GatewayError(401, 'This admin token has expired: make a new one with tollgate tokens create.');
    return adminToken;
  }

  protected override presented({ authorization }: IncomingHttpHeaders): string | null {
    return authorization === undefined ? null : presentedKey({ authorization });
  }
}

function invalidToken(): GatewayError {
  return new GatewayError(401, 'This admin token is not valid: check that it was copied in full.');
}
