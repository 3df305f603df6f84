import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { isModelAllowed } from '@tollgate/contracts/catalog';
import { rateRefusal } from './rate-limit-headers';
import { RateLimitStore } from './rate-limit-store';
import { TokenRateStore } from './token-rates/token-rate-store';
import type { TokenRateState } from './token-rates/token-rate-store';

type ModelLimit = CallerKey['modelLimits'][number];

/** The limits a minute that requests for a model are counted against, beside the key's requests. */
type RateLimited = Pick<CallerKey, 'id' | 'tpm' | 'modelLimits'>;

/** What a request took of its key's limits a minute. */
export interface Rated {
  /** The request ended, having used so many tokens; null: unknown, so all that it took counts. */
  settle(usedTokens: number | null): void;
  /** The request was refused: it took nothing. */
  giveBack(): void;
}

const notRated: Rated = { settle: () => undefined, giveBack: () => undefined };

/** The limits of a key that are of this model: all that name it, each counting for itself. */
export function modelLimitsFor(limits: readonly ModelLimit[], model: string): readonly ModelLimit[] {
  return limits.length === 0 ? limits : limits.filter((limit) => isModelAllowed([limit.model], model));
}

/** Counts the tokens a minute of a key, and its requests and tokens a minute of a model. */
@Injectable()
export class RequestRates {
  constructor(
    private readonly requests: RateLimitStore,
    private readonly tokens: TokenRateStore,
  ) {}

  /**
   * Takes an upper bound of a request's tokens from each limit of its key that counts them, and one request
   * of those of its model, unless that `isCounted` already.
   * @throws GatewayError 429 when one of them has not so much left, naming the seconds until it has; 503 when
   * so much cannot be decided while Valkey is away.
   */
  take(key: RateLimited, model: string, tokens: number, isCounted = false): Rated | Promise<Rated> {
    return isRated(key) ? this.takeAll(key, model, tokens, isCounted) : notRated;
  }

  /** Of the limits of tokens that a request comes under, the one with the least left; null: there is none. */
  tightest(key: RateLimited, model: string | null): TokenRateState | null {
    if (!isRated(key)) return null;
    const states = model === null ? [] : this.ofModel(key, model);
    if (key.tpm !== null) states.push(this.tokens.state(key.id, key.tpm));
    return states.reduce<TokenRateState | null>((least, one) => {
      return least === null || one.remaining < least.remaining ? one : least;
    }, null);
  }

  private ofModel({ id, modelLimits }: RateLimited, model: string): TokenRateState[] {
    return modelLimitsFor(modelLimits, model).flatMap((limit) =>
      limit.tpm === null ? [] : [this.tokens.state(nameOf(id, limit), limit.tpm)],
    );
  }

  private async takeAll(key: RateLimited, model: string, tokens: number, isCounted: boolean): Promise<Rated> {
    const taken = new Taken();
    try {
      const limits = modelLimitsFor(key.modelLimits, model);
      if (key.tpm !== null) await this.takeTokens(key.id, key.tpm, { tokens, reason: 'tokens_per_minute' }, taken);
      for (const limit of limits)
        if (limit.tpm !== null)
          await this.takeTokens(nameOf(key.id, limit), limit.tpm, { tokens, reason: 'model_rate_limit' }, taken);
      // Last, so that what tokens refuse holds no request of the model, not even for a moment.
      for (const limit of isCounted ? [] : limits)
        if (limit.rpm !== null) await this.takeRequest(nameOf(key.id, limit), limit.rpm, taken);
    } catch (error) {
      taken.giveBack();
      throw error;
    }
    return taken;
  }

  private async takeRequest(name: string, limit: number, taken: Taken): Promise<void> {
    const state = await this.requests.take(name, limit);
    if (!state.admitted) throw rateRefusal(state, { limit: 'rpm', reason: 'model_rate_limit' });
    const { unit } = state;
    if (unit !== null) taken.units.push(() => this.requests.giveBack(name, unit));
  }

  private async takeTokens(
    name: string,
    limit: number,
    { tokens, reason }: { tokens: number; reason: 'tokens_per_minute' | 'model_rate_limit' },
    taken: Taken,
  ): Promise<void> {
    const answer = await this.tokens.take(name, limit, tokens);
    if (!answer.admitted) {
      const { retryAfterMs } = answer;
      if (retryAfterMs === null) throw notTogether();
      throw rateRefusal({ limit, retryAfterMs }, { limit: 'tokens', reason });
    }
    taken.tokens.push((used) => answer.settle(used));
  }
}

class Taken implements Rated {
  readonly tokens: ((used: number | null) => void)[] = [];
  readonly units: (() => void)[] = [];

  settle(usedTokens: number | null): void {
    for (const settle of this.tokens.splice(0)) settle(usedTokens);
  }

  giveBack(): void {
    this.settle(0);
    for (const giveBack of this.units.splice(0)) giveBack();
  }
}

/**
 * The edges do not count together, and the request is larger than what one of them may let in meanwhile, or
 * this one is cut off from the others.
 */
function notTogether(): GatewayError {
  return new GatewayError(
    503,
    'The tokens a minute of this key cannot be checked for this request at the moment; try again shortly.',
    5,
  );
}

function isRated({ tpm, modelLimits }: RateLimited): boolean {
  return tpm !== null || modelLimits.length > 0;
}

/** How a limit of a key's own for models is named among all limits. */
function nameOf(keyId: string, { model }: ModelLimit): string {
  return `${keyId}/${model}`;
}
