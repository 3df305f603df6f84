import type { GenerationCall } from '@tollgate/messaging';
import { countRequestTokens } from '../counting/count-request-tokens';
import type { AnswerGuards } from '../guardrails/answer-guards';
import { Places } from '../health/places';
import type { Router } from '../routing/router';
import { crowdedOut, noSuchEndpoint } from './generation-failure';
import { GenerationRun, type RunResources } from './generation-run';

/**
 * From this share of its calls on, an instance is short of room: the rest is for keys that have less than
 * their share of all. One more key counts than there are, so that also whoever comes next finds room: what
 * runs is not stopped for it.
 */
const shortFrom = 0.75;
const newcomers = 1;

/** Handles the calls that edges send: each gets its routes and a run of its own, unless only its tokens are to be counted. */
export class GenerationService {
  private readonly places: Places;

  /** `maxInFlight`: the most calls that this instance is given at once. */
  constructor(
    private readonly router: Router,
    private readonly resources: RunResources,
    private readonly guards: AnswerGuards,
    private readonly maxInFlight: number,
  ) {
    this.places = new Places(() => maxInFlight);
  }

  /** Resolves when the call has ended. */
  async handle(call: GenerationCall): Promise<void> {
    const { keyId } = call.request;
    if (!this.hasRoomFor(keyId)) return call.fail(crowdedOut(this.places.shareOf(keyId, newcomers)), null);
    try {
      await this.begin(call);
    } finally {
      this.places.leave(keyId);
    }
  }

  private begin(call: GenerationCall): Promise<void> {
    const { model, surface, keyId, countTokens } = call.request;
    if (this.router.isBeyond(model, surface)) return Promise.resolve(call.fail(noSuchEndpoint(model), null));
    const routes = this.router.routes(model, surface, keyId);
    if (countTokens) return countRequestTokens(call, routes, this.resources);
    this.resources.metrics.generationBegan();
    return new GenerationRun(call, routes, this.resources, this.guards.guardFor(call.request)).run();
  }

  /** Takes a place. */
  private hasRoomFor(key: string): boolean {
    if (this.places.inFlight >= this.maxInFlight * shortFrom) {
      const { own, fair } = this.places.shareOf(key, newcomers);
      if (own >= fair) return false;
    }
    return this.places.enter(key);
  }
}
