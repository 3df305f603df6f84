import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { Authenticator } from '../callers/authenticator';
import type { Caller } from '../callers/authenticator';
import { presentedKey } from '../callers/presented-key';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
import { RequestContext } from '../http/request-context';
import { QuotaReservations } from './leases/quota-reservations';
import { rateLimitHeaders, rateRefusal } from './rate-limit-headers';
import type { RateLimitState } from './rate-limit-store';
import { RateLimitStore, unlimited } from './rate-limit-store';
import { RequestRates } from './request-rates';
import { usesNothingCounted } from './reserved';

/** What a refused request is counted under. */
type RefusingLimit = Parameters<EdgeMetrics['refused']>[0];

/** A request that came in: its caller, and the unit of its requests per minute that it took. */
export interface Admitted {
  readonly caller: Caller;
  readonly requests: RateLimitState;
}

const noHeaders: Record<string, string> = {};

/**
 * Lets requests in, one unit of the key's requests per minute each. At once where nobody has to be asked: an
 * async function that waits for nothing takes 0.2 µs and 410 bytes, and a request passed ten of them.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RateLimitStore,
    private readonly rates: RequestRates,
    private readonly quotas: QuotaReservations,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
  ) {}

  /**
   * Finds the caller of a request and takes a unit.
   * @throws GatewayError as Authenticator.verify and `take` do.
   */
  admit(headers: IncomingHttpHeaders, context: RequestContext): Admitted | Promise<Admitted> {
    const found = this.authenticator.verify(presentedKey(headers));
    return found instanceof Promise ? found.then((caller) => this.take(caller, context)) : this.take(found, context);
  }

  /**
   * Takes a unit for a caller who is known already.
   * @throws GatewayError 429 when the key's requests per minute are used up.
   */
  take(caller: Caller, context: RequestContext): Admitted | Promise<Admitted> {
    const taken = this.limits.take(caller.key.id, caller.key.rpm);
    if (taken instanceof Promise) return taken.then((requests) => this.taken(caller, requests, context));
    return this.taken(caller, taken, context);
  }

  private taken(caller: Caller, requests: RateLimitState, context: RequestContext): Admitted {
    this.tell({ caller, requests }, context);
    if (requests.admitted) return { caller, requests };
    this.metrics.refused('requests');
    throw rateRefusal(requests, { limit: 'rpm' });
  }

  /** A request that was let in before, and goes on: it takes no unit. */
  again(caller: Caller): Admitted {
    return { caller, requests: unlimited };
  }

  /**
   * A limit of tokens or of the model, a budget, or the limit of generations at once, refused the request:
   * its unit, if it has one, is given back, so that the 429 takes nothing.
   */
  refusedBy(limit: RefusingLimit, { caller, requests }: Admitted, context: RequestContext, model?: string): void {
    this.metrics.refused(limit);
    const { unit } = requests;
    if (unit !== null) this.limits.giveBack(caller.key.id, unit);
    const remaining = requests.remaining + Number(unit !== null);
    this.tell({ caller, requests: { ...requests, remaining } }, context, model);
  }

  /**
   * Notes who asks, and the headers that tell the caller its limits as they stand now. `model`: the id of the
   * one that is asked for, absent: it is not known yet.
   */
  tell({ caller, requests }: Admitted, context: RequestContext, model?: string): void {
    context.caller = caller;
    const { key } = caller;
    if (requests.limit === null && usesNothingCounted(key)) {
      context.limitHeaders = noHeaders;
      return;
    }
    const limits = { quota: this.quotas.record(key), tokens: this.rates.tightest(key, model ?? null) };
    context.limitHeaders = rateLimitHeaders(requests, limits, this.clock.nowMs());
  }
}
