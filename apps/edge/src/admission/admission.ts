import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { BudgetHold } from '@tollgate/contracts/metering';
import { TransientMap } from '@tollgate/messaging';
import { Authenticator, type Caller, presentedKey } from '../callers/authenticator';
import { Clock } from '../clock';
import { EdgeMetrics } from '../edge-metrics';
import { RequestContext } from '../http/request-context';
import { QuotaReservations, noReservation, type Reservation } from './leases/quota-reservations';
import { rateLimitHeaders, rateRefusal } from './rate-limit-headers';
import { type RateLimitState, RateLimitStore, unlimited } from './rate-limit-store';
import { RequestRates } from './request-rates';
import type { Charge } from './leases/budget-lease';

/**
 * What is set aside for one request: tokens of its key's quota (`leaseId` null: of none), and what it holds
 * of budgets. It is settled once.
 */
export interface Reserved extends Pick<Reservation, 'leaseId' | 'tokens'> {
  readonly holds: readonly BudgetHold[];
  /**
   * The request ended, having used so many tokens; null: unknown, so all that was reserved counts as used.
   */
  settle(usedTokens: number | null, charge: Charge): void;
}

/**
 * Whether a key's requests use nothing that is counted before they are asked for: it has no quota, no limit
 * of tokens a minute or of a model, and no budget.
 */
export function usesNothingCounted(key: Pick<CallerKey, 'quotaTokens' | 'tpm' | 'modelLimits' | 'budgets'>): boolean {
  return key.quotaTokens === null && key.tpm === null && key.modelLimits.length === 0 && key.budgets.length === 0;
}

/** Of a request that uses nothing. */
export const nothingReserved: Reserved = { ...noReservation, holds: [] };

/**
 * Lets at most so many generations of a key run at once, where its plan says so. Several edges divide that
 * among them: each has its share, at least one.
 */
@Injectable()
export class ConcurrencyGate {
  private readonly running = new TransientMap<string, number>();

  constructor(private readonly limits: RateLimitStore) {}

  /** Takes a place; false: all of this edge's are taken. A place that was taken is given back by `leave`. */
  enter({ id, concurrency }: CallerKey): boolean {
    const running = this.running.get(id) ?? 0;
    if (concurrency !== null && running >= this.shareOf(concurrency)) return false;
    this.running.set(id, running + 1);
    return true;
  }

  leave({ id }: CallerKey): void {
    const running = (this.running.get(id) ?? 0) - 1;
    if (running > 0) this.running.set(id, running);
    else this.running.delete(id);
  }

  private shareOf(concurrency: number): number {
    return concurrency === 0 ? 0 : Math.max(1, Math.floor(concurrency / this.limits.edges));
  }
}

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
