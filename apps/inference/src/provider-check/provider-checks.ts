import { ControlError, inferenceOperations, type ProviderCheck } from '@tollgate/contracts';
import { serveOperation, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { Router } from '../routing/router';
import { checkProvider } from './provider-check';

/** Answers operators who ask whether providers can be reached, and what is wrong where one cannot. */
export class ProviderChecks {
  private served: NoticeSubscription | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly router: Pick<Router, 'endpoints' | 'modelsAt'>,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.served = serveOperation(
      this.connection,
      'inference',
      inferenceOperations.checkProviders,
      async ({ provider }) => ({ checks: await this.check(provider) }),
      this.logger,
    );
  }

  stop(): void {
    this.served?.unsubscribe();
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
