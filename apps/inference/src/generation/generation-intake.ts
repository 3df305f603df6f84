import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { dialectNames, type GenerationFailure, surfaceNames } from '@tollgate/contracts';
import { loadVocabulary, translationFor } from '@tollgate/dialects';
import {
  GenerationServer,
  type OrphanedUsage,
  type Owner,
  type PlaceKeeper,
  type UsageJournal,
} from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { CatalogFollower, LOGGER } from '@tollgate/service';
import { callerOf } from '../health/caller-window';
import { Places } from '../health/places';
import { InferenceSettings } from '../settings';
import { JOURNAL, ORPHANS } from '../usage/usage-providers';
import { crowdedOut } from './generation-failure';
import { GenerationService } from './generation-service';

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
