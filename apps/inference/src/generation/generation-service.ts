import type { GenerationCall } from '@tollgate/messaging';
import { countRequestTokens } from '../counting/count-request-tokens';
import type { AnswerGuards } from '../guardrails/answer-guards';
import type { Router } from '../routing/router';
import { noSuchEndpoint } from './generation-failure';
import { GenerationRun, type RunResources } from './generation-run';

/** Handles the calls that edges send: each gets its routes and a run of its own, unless only its tokens are to be counted. */
export class GenerationService {
  constructor(
    private readonly router: Router,
    private readonly resources: RunResources,
    private readonly guards: AnswerGuards,
  ) {}

  /** Resolves when the call has ended. */
  handle(call: GenerationCall): Promise<void> {
    const { model, surface, keyId, countTokens } = call.request;
    if (this.router.isBeyond(model, surface)) return Promise.resolve(call.fail(noSuchEndpoint(model), null));
    const routes = this.router.routes(model, surface, keyId);
    if (countTokens) return countRequestTokens(call, routes, this.resources);
    this.resources.metrics.generationBegan();
    return new GenerationRun(call, routes, this.resources, this.guards.guardFor(call.request)).run();
  }
}
