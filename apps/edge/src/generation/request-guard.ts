import { Inject, Injectable } from '@nestjs/common';
import type { Guardrail, GuardrailAction } from '@tollgate/contracts/catalog';
import { guardrailOperations, type FoundInHour } from '@tollgate/contracts/metering';
import { GuardrailSet, FindingCounts } from '@tollgate/guardrails';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { ControlClient, NatsGenerationClient } from '@tollgate/messaging';
import { ModelCatalog } from '../catalog/model-catalog';
import { EdgeMetrics } from '../edge-metrics';
import { guardedBody, isChanged, type Found, type GuardOrder } from './guarded-body';

const tellEveryMs = 2_000;
const sendTimeoutMs = 2_000;

/** Counts what guardrails find in requests, and has metering keep it. Nobody waits for it. */
@Injectable()
export class GuardrailFindings {
  private readonly counts: FindingCounts;

  constructor(control: ControlClient, client: NatsGenerationClient, metrics: EdgeMetrics, work: PeriodicWork) {
    this.counts = new FindingCounts(client.edgeId, (count) => metrics.guardrailFindingsDropped(count));
    const patience = { timeoutMs: sendTimeoutMs, absentMs: 0 };
    const keep = (hours: FoundInHour[]) => control.call(guardrailOperations.record, { hours }, patience);
    work.add({ name: 'findings of guardrails', everyMs: tellEveryMs, run: () => this.counts.tell(keep) });
  }

  found(guardrail: string, action: GuardrailAction): void {
    this.counts.add(guardrail, 'input', action);
  }
}

/** Whose request it is, which, and for which model (the public id). */
export interface Asked {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
}

/**
 * Looks through the texts of requests by the operator's guardrails, as the newest snapshot of the catalog has
 * them. Without any it does nothing.
 */
@Injectable()
export class RequestGuard {
  private from: readonly Guardrail[] = [];
  private input = new GuardrailSet([], 'input');
  /** Those of `from`, as JSON. */
  private rules = '[]';
  private output = new GuardrailSet([], 'output');

  constructor(
    private readonly catalog: ModelCatalog,
    private readonly metrics: EdgeMetrics,
    private readonly findings: GuardrailFindings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The body that was parsed from `bytes` as it may go on: see `guardedBody`.
   * @throws GatewayError 400 naming the guardrail that blocks it.
   */
  check(asked: Asked, body: unknown, bytes: Uint8Array): unknown {
    this.follow();
    const guard = this.input.guardFor(asked, (guardrail, action) => this.found(asked, { guardrail, action }));
    return guard ? guardedBody(guard, body, bytes) : body;
  }

  /** Whether a name that is kept of it may not be kept as it is. What is found counts as of its body alone. */
  hides(asked: Asked, name: string): boolean {
    this.follow();
    const guard = this.input.guardFor(asked, () => undefined);
    return guard !== null && isChanged(guard, name);
  }

  /** What a body that is looked through elsewhere must go through; null: nothing. */
  orderFor(asked: Asked): GuardOrder | null {
    this.follow();
    const holds = this.input.guardFor(asked, () => undefined) !== null;
    return holds ? { rules: this.rules, keyId: asked.keyId, model: asked.model } : null;
  }

  /** Counts what a guardrail found. */
  found({ requestId }: Asked, { guardrail, action }: Found): void {
    this.metrics.guardrailFound(guardrail, action);
    this.findings.found(guardrail, action);
    this.logger.info({ requestId, guardrail, action }, 'a guardrail found something in a request');
  }

  /**
   * A text that stands for the guardrails that the answer goes through: answers that went through others are
   * not the same.
   */
  answerRules(asked: Asked): string {
    this.follow();
    return this.output.nameFor(asked);
  }

  private follow(): void {
    const { guardrails } = this.catalog.snapshot();
    if (guardrails === this.from) return;
    this.from = guardrails;
    this.rules = JSON.stringify(guardrails);
    this.input = new GuardrailSet(guardrails, 'input');
    this.output = new GuardrailSet(guardrails, 'output');
  }
}
