import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { dialectNames, surfaceNames } from '@tollgate/contracts';
import { loadVocabulary, translationFor } from '@tollgate/dialects';
import { GenerationServer, type OrphanedUsage, type UsageJournal } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { CatalogFollower, LOGGER } from '@tollgate/service';
import { InferenceSettings } from '../settings';
import { JOURNAL, ORPHANS } from '../usage/usage-providers';
import { GenerationService } from './generation-service';
import { InstancePlaces } from './instance-places';

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
