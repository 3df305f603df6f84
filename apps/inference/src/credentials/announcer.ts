import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { catalogSubjects } from '@tollgate/contracts/catalog';
import type { InferenceAnnouncement } from '@tollgate/contracts/inference';
import { GenerationServer, publishJson } from '@tollgate/messaging';
import { NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { ModelDiscovery } from '../discovery/model-discovery';
import { Router } from '../routing/router';
import { InferenceSettings } from '../settings';

const everyMs = 5_000;

/**
 * Tells catalog which providers this instance can reach, and what they list: every five seconds, and at once
 * when that changed. Never the keys. It says nothing before it knows the providers, nor once it leaves.
 */
@Injectable()
export class Announcer implements OnModuleDestroy {
  private isLeaving = false;

  constructor(
    @Inject(NATS) private readonly connection: NatsConnection,
    private readonly server: GenerationServer,
    private readonly router: Router,
    private readonly discovery: ModelDiscovery,
    private readonly settings: InferenceSettings,
    work: PeriodicWork,
  ) {
    work.add({ name: 'announcement', everyMs, run: () => this.tell() });
    discovery.onChange(() => this.tell());
  }

  /** Tells at once. */
  tell(): void {
    if (this.isLeaving || !this.router.knowsCatalog) return;
    const announcement: InferenceAnnouncement = {
      instance: this.server.instanceId,
      sandbox: this.router.sandbox,
      providers: this.router.providers,
      listed: this.discovery.listed,
      opens: this.settings.ring.opens,
      faults: Object.fromEntries(this.router.faults),
    };
    publishJson(this.connection, catalogSubjects.inferenceAnnouncement, announcement);
  }

  /** Nobody counts on this instance any more. */
  onModuleDestroy(): void {
    this.isLeaving = true;
  }
}
