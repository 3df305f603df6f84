import { Controller } from '@nestjs/common';
import { ControlError, inferenceOperations, type ProviderCheck } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { ModelDiscovery } from '../discovery/model-discovery';
import { Router } from '../routing/router';
import { checkProvider } from './provider-check';

type Operations = typeof inferenceOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = Promise<z.input<Operations[Name]['reply']>>;

/**
 * Answers operators who ask whether providers can be reached, what is wrong where one cannot, and what they
 * list now.
 */
@Controller()
export class ProviderChecksController {
  constructor(
    private readonly router: Router,
    private readonly discovery: ModelDiscovery,
  ) {}

  @Serve(inferenceOperations.checkProviders)
  async check({ provider }: Request<'checkProviders'>): Reply<'checkProviders'> {
    return { checks: await this.checksOf(provider) };
  }

  @Serve(inferenceOperations.lookForModels)
  async look({ provider }: Request<'lookForModels'>): Reply<'lookForModels'> {
    return { looks: await this.discovery.lookNow(provider) };
  }

  /** All at once: each is another server. */
  private checksOf(wanted: string | null): Promise<ProviderCheck[]> {
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
