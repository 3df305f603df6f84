import { Inject, Injectable } from '@nestjs/common';
import { modelKindOf } from '@tollgate/contracts';
import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { FindingCounts, GuardrailSet } from '@tollgate/guardrails';
import type { Guard } from '@tollgate/guardrails';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { InferenceMetrics } from '../metrics/inference-metrics';

/** The operator's guardrails for answers, as the newest snapshot has them. */
@Injectable()
export class AnswerGuards {
  private set = new GuardrailSet([], 'output');

  constructor(
    private readonly metrics: InferenceMetrics,
    private readonly counts: FindingCounts,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  use({ guardrails }: Pick<CatalogSnapshot, 'guardrails'>): void {
    this.set = new GuardrailSet(guardrails, 'output');
  }

  /**
   * What the answer to a request goes through; null: nothing. Vectors and scores hold no text of the model.
   */
  guardFor({ requestId, keyId, model, surface }: GenerationRequest): Guard | null {
    if (modelKindOf(surface) !== 'generation') return null;
    return this.set.guardFor({ keyId, model }, (guardrail, action) => {
      this.metrics.guardrailFound(guardrail, action);
      this.counts.add(guardrail, 'output', action);
      this.logger.info({ requestId, guardrail, action }, 'a guardrail found something in an answer');
    });
  }
}
