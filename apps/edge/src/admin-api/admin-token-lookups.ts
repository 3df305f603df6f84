import { LruMap } from '@tollgate/messaging';
import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { adminTokenOperations, type AdminToken } from '@tollgate/contracts/accounts';
import { Clock } from '../clock';
import { DashboardServices } from '../dashboard/dashboard-services';

/** Lookups in flight at most; more are refused: anybody can make tokens of the right form. */
export const lookupsInFlight = 512;
/** For how long a token that accounts does not know is not asked for again. */
export const unknownForMs = 1_000;
const unknownTokens = 10_000;
const metTokens = 10_000;

/** Asks accounts for admin tokens by their digests, so many at once. What is known of one is never kept. */
@Injectable()
export class AdminTokenLookups {
  private inFlight = 0;
  /** Until when a digest is that of no token, monotonic milliseconds. */
  private readonly unknownUntilMs = new LruMap<number>(unknownTokens);
  private readonly ids = new LruMap<string>(metTokens);

  constructor(
    private readonly services: DashboardServices,
    private readonly clock: Clock,
  ) {}

  /** The id of a token that was met here before; null: none was, or it was long ago. */
  idOf(digest: string): string | null {
    return this.ids.get(digest) ?? null;
  }

  /**
   * The token with one of these digests, the first of which is under the pepper of today; null: none.
   * @throws GatewayError 503 while accounts is away, or asked too much.
   */
  async find(digest: string, formerDigests: readonly string[]): Promise<AdminToken | null> {
    if ((this.unknownUntilMs.get(digest) ?? -Infinity) > this.clock.monotonicMs()) return null;
    if (this.inFlight >= lookupsInFlight)
      throw new GatewayError(503, 'The admin token cannot be checked at the moment, try again shortly.', 2);
    this.inFlight += 1;
    try {
      const digests = [digest, ...formerDigests];
      const { adminToken } = await this.services.ask(adminTokenOperations.resolve, { digests });
      if (adminToken) this.ids.set(digest, adminToken.id);
      else this.unknownUntilMs.set(digest, this.clock.monotonicMs() + unknownForMs);
      return adminToken;
    } finally {
      this.inFlight -= 1;
    }
  }
}
