import type { GenerationCall } from '@tollgate/messaging';
import { askTokenizer } from '../counting/ask-tokenizer';
import { countRequestTokens } from '../counting/count-request-tokens';
import type { AnswerGuards } from '../guardrails/answer-guards';
import { callerOf } from '../health/caller-window';
import { ServerLoads } from '../health/server-loads';
import { conversationOf } from '../routing/conversation';
import type { Router } from '../routing/router';
import { noSuchEndpoint } from './generation-failure';
import { GenerationRun, type RunResources } from './generation-run';

/**
 * Handles the calls that edges send: each gets its routes and a run of its own, unless only its tokens are to
 * be counted.
 */
export class GenerationService {
  constructor(
    private readonly router: Router,
    private readonly resources: RunResources,
    private readonly guards: AnswerGuards,
    private readonly loads = new ServerLoads(),
  ) {}

  /** Resolves when the call has ended. */
  async handle(call: GenerationCall): Promise<void> {
    const { kind, model, surface, keyId } = call.request;
    if (kind === 'tokenize' || kind === 'detokenize')
      return askTokenizer(call, kind, this.router.ownRoutes(model, keyId), this.resources);
    if (this.router.isBeyond(model, surface)) return call.fail(noSuchEndpoint(model), null);
    const { gate } = this.resources;
    const caller = callerOf(call.request);
    const routes = this.router.routes(model, surface, keyId, {
      conversation: () => conversationOf(call),
      loadOf: (route) => this.loads.loadOf(route, () => gate.loadOf(route)),
      isOpen: (route) => gate.isOpenTo(route, caller),
    });
    if (kind === 'count_tokens') return countRequestTokens(call, routes, this.resources);
    this.resources.metrics.generationBegan();
    return new GenerationRun(call, routes, this.resources, this.guards.guardFor(call.request)).run();
  }
}
