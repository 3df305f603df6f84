import { mediaToRead } from '@tollgate/dialects';
import type { GenerationCall } from '@tollgate/messaging';
import type { OwnKeys } from '../credentials/own-keys';
import { askTokenizer } from '../counting/ask-tokenizer';
import { countRequestTokens } from '../counting/count-request-tokens';
import type { AnswerGuards } from '../guardrails/answer-guards';
import { callerOf } from '../health/caller-window';
import { ServerLoads } from '../health/server-loads';
import { conversationOf } from '../routing/conversation';
import { seeingFirst } from '../routing/route-plan';
import { ownRoutes, type Router } from '../routing/router';
import type { Route } from '../routing/route-table';
import { noSuchEndpoint } from './generation-failure';
import { GenerationRun, type RunResources } from './generation-run';
import { noPlaceForOwnKey, ownKeyUnusable } from './own-key-failure';

/**
 * Handles the calls that edges send: each gets its routes and a run of its own, unless only its tokens are to
 * be counted.
 */
export class GenerationService {
  constructor(
    private readonly router: Router,
    private readonly resources: RunResources,
    private readonly guards: AnswerGuards,
    private readonly ownKeys: Pick<OwnKeys, 'open'>,
    private readonly loads = new ServerLoads(),
  ) {}

  /** Resolves when the call has ended. */
  handle(call: GenerationCall): Promise<void> | void {
    const { kind, model, surface, keyId } = call.request;
    const own = call.request.ownKeys !== undefined;
    if (kind === 'tokenize' || kind === 'detokenize') {
      const routes = this.allowed(call, this.router.ownRoutes(model, keyId, own));
      return routes ? askTokenizer(call, kind, routes, this.resources) : undefined;
    }
    if (this.router.isBeyond(model, surface, own)) return call.fail(noSuchEndpoint(model), null);
    const { gate } = this.resources;
    const caller = callerOf(call.request);
    const balance = {
      conversation: () => conversationOf(call),
      loadOf: (route: Route) => this.loads.loadOf(route, () => gate.loadOf(route)),
      isOpen: (route: Route) => gate.isOpenTo(route, caller),
    };
    const found = this.router.routes(model, surface, keyId, balance, own);
    const routes = this.allowed(call, found);
    if (!routes) return;
    if (kind === 'count_tokens') return countRequestTokens(call, routes, this.resources);
    this.resources.metrics.generationBegan();
    const inOrder = seeingFirst(routes, call.request, () => mediaToRead(call.body, surface));
    return new GenerationRun(call, inOrder, this.resources, this.guards.guardFor(call.request)).run();
  }

  /**
   * Where the request brings keys of its account: the routes that they open. Null: they open none of those
   * that there are, and the call has ended.
   */
  private allowed(call: GenerationCall, found: readonly Route[]): readonly Route[] | null {
    const { model, ownKeys } = call.request;
    if (!ownKeys) return found;
    const { routes, unusable } = ownRoutes(call.request, found, this.ownKeys);
    // One that came with a newer catalog than this instance has may be known elsewhere, or soon.
    if (routes.length > 0 || !this.router.knows(model)) return routes;
    call.fail(unusable === null ? noPlaceForOwnKey(model, Object.keys(ownKeys)) : ownKeyUnusable(unusable), null);
    return null;
  }
}
