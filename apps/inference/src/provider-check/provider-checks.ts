import { ControlError, inferenceOperations, type ProviderCheck } from '@tollgate/contracts';
import { serveOperation, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { ModelDiscovery } from '../discovery/model-discovery';
import type { Router } from '../routing/router';
import { checkProvider } from './provider-check';

/** Answers operators who ask whether providers can be reached, what is wrong where one cannot, and what they list now. */
export class ProviderChecks {
  private served: NoticeSubscription[] = [];

  constructor(
    private readonly connection: NatsConnection,
    private readonly router: Pick<Router, 'endpoints' | 'modelsAt'>,
    private readonly discovery: Pick<ModelDiscovery, 'lookNow'>,
    private readonly logger: Logger,
  ) {}

  start(): void {
    const { checkProviders, lookForModels } = inferenceOperations;
    this.served = [
      serveOperation(
        this.connection,
        'inference',
        checkProviders,
        async ({ provider }) => ({ checks: await this.check(provider) }),
        this.logger,
      ),
      serveOperation(
        this.connection,
        'inference',
        lookForModels,
        async ({ provider }) => ({ looks: await this.discovery.lookNow(provider) }),
        this.logger,
      ),
    ];
  }

  stop(): void {
    for (const each of this.served) each.unsubscribe();
  }

  /** All at once: each is another server. */
  private check(wanted: string | null): Promise<ProviderCheck[]> {
    const endpoints = this.router.endpoints.filter(({ provider }) => wanted === null || provider.id === wanted);
    if (wanted !== null && endpoints.length === 0)
      throw new ControlError(
        'not_found',
        `Inference has no provider ${wanted}: it is not in the catalog, or its key is not set.`,
      );
    return Promise.all(
      endpoints.map((endpoint) => checkProvider({ endpoint, models: this.router.modelsAt(endpoint.provider.id) })),
    );
  }
}
