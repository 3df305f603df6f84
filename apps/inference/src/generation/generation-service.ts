import type { GenerationCall } from '@tollgate/messaging';
import type { Router } from '../routing/router';
import { GenerationRun, type RunResources } from './generation-run';

/** Handles the calls that edges send: each gets its routes and a run of its own. */
export class GenerationService {
  constructor(
    private readonly router: Router,
    private readonly resources: RunResources,
  ) {}

  /** Resolves when the call has ended. */
  handle(call: GenerationCall): Promise<void> {
    const { model, surface } = call.request;
    this.resources.metrics.generationBegan();
    return new GenerationRun(call, this.router.routes(model, surface), this.router.sandbox, this.resources).run();
  }
}
