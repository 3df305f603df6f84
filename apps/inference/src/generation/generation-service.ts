import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { dialectNames, surfaceNames } from '@tollgate/contracts';
import type { GenerationFailure } from '@tollgate/contracts/inference';
import { loadVocabulary, translationFor, mediaToRead } from '@tollgate/dialects';
import {
  GenerationServer,
  type OrphanedUsage,
  type Owner,
  type PlaceKeeper,
  type UsageJournal,
  type GenerationCall,
} from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { CatalogFollower, LOGGER } from '@tollgate/service';
import { callerOf } from '../health/caller-window';
import { Places } from '../health/places';
import { InferenceSettings } from '../settings';
import { JOURNAL, ORPHANS } from '../usage/usage-providers';
import { crowdedOut, noSuchEndpoint } from './generation-failure';
import type { OwnKeys } from '../credentials/own-keys';
import { askTokenizer } from '../counting/ask-tokenizer';
import { countRequestTokens } from '../counting/count-request-tokens';
import type { AnswerGuards } from './answer-guards';
import { ServerLoads } from '../health/server-loads';
import { conversationOf } from '../routing/conversation';
import { seeingFirst } from '../routing/route-plan';
import { ownRoutes, type Router } from '../routing/router';
import type { Route } from '../routing/route-table';
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

/** Takes the calls of edges once the catalog is known, and leaves without cutting what runs. */
@Injectable()
export class GenerationIntake implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private state: 'waiting' | 'accepting' | 'leaving' = 'waiting';

  constructor(
    private readonly settings: InferenceSettings,
    private readonly catalog: CatalogFollower,
    private readonly server: GenerationServer,
    private readonly generation: GenerationService,
    @Inject(JOURNAL) private readonly journal: UsageJournal | null,
    @Inject(ORPHANS) private readonly orphans: OrphanedUsage | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get isAccepting(): boolean {
    return this.state === 'accepting';
  }

  /** Resolves when calls are taken. Waits for the catalog as long as it takes. */
  async onApplicationBootstrap(): Promise<void> {
    // The first caller who leaves in the middle of an answer needs it.
    loadVocabulary();
    await this.catalog.first();
    if (this.isLeaving) return;
    const { maxInFlight } = this.settings;
    const places = new InstancePlaces(maxInFlight);
    await this.server.serve(servedSurfaces(), maxInFlight, (call) => this.generation.handle(call), places);
    if (this.isLeaving) return;
    this.state = 'accepting';
    this.logger.info({ instance: this.server.instanceId }, 'calls are taken');
  }

  onModuleDestroy(): void {
    this.state = 'leaving';
  }

  /** What runs is finished; then the journal holds nothing that is not stored. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.orphans?.stop();
    await this.server.drain(this.settings.drainMs);
    this.journal?.close();
  }

  private get isLeaving(): boolean {
    return this.state === 'leaving';
  }
}

/** Every surface that can be put into at least one provider's dialect. */
function servedSurfaces(): readonly string[] {
  return surfaceNames.filter((surface) => dialectNames.some((provider) => translationFor(surface, provider)));
}

/**
 * From this share of its calls on, an instance is short of room: the rest is for keys that have less than
 * their share of all, and the last of it for keys of accounts that have less than theirs. One more account
 * counts than there are, so that also whoever comes next finds room: what runs is not stopped for it. Who
 * comes second hears so of a third, which is what the first one leaves.
 */
const shortFrom = 2 / 3;
const scarceFrom = 0.875;
const newcomers = 1;

/**
 * The calls that an instance has, by account and key, those included whose requests still arrive.
 * `maxInFlight`: the most of them.
 */
export class InstancePlaces implements PlaceKeeper {
  private readonly places: Places;

  constructor(private readonly maxInFlight: number) {
    this.places = new Places(maxInFlight);
  }

  enter(owner: Owner): GenerationFailure | null {
    const caller = callerOf(owner);
    const used = this.places.inFlight / this.maxInFlight;
    if (used >= shortFrom) {
      const share = this.places.shareOf(caller, newcomers);
      if (share.own >= share.fair || (used >= scarceFrom && !share.isOwed)) return crowdedOut(share);
    }
    return this.places.enter(caller) ? null : crowdedOut(this.places.shareOf(caller, newcomers));
  }

  leave(owner: Owner): void {
    this.places.leave(callerOf(owner));
  }
}
