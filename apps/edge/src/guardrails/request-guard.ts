import { Inject, Injectable } from '@nestjs/common';
import type { Guardrail } from '@tollgate/contracts';
import { GuardrailSet } from '@tollgate/guardrails';
import type { Guard } from '@tollgate/guardrails';
import type { Logger } from '@tollgate/observability';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ModelCatalog } from '../catalog/model-catalog';
import { EdgeMetrics } from '../health/edge-metrics';
import { LOGGER } from '../settings';
import { guardedAtOnce, guardedBody } from './guarded-body';
import type { Found, GuardOrder } from './guarded-body';

/** Bodies up to this size are looked through at once, which takes some milliseconds for each guardrail. */
const atOnceBytes = 65_536;
/** Characters that are looked through in one turn. */
const turnLength = 65_536;

/** Whose request it is, which, and for which model (the public id). */
export interface Asked {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
}

/** Looks through the texts of requests by the operator's guardrails, as the newest snapshot of the catalog has them. Without any it does nothing. */
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
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The parsed body as it may go on: the same object, unless something was taken out. A promise for a body of many `bytes`, which others need not wait for.
   * @throws GatewayError 400 naming the guardrail that blocks it; the promise rejects with it.
   */
  check(asked: Asked, body: unknown, bytes: number): unknown {
    this.follow();
    const guard = this.input.guardFor(asked, (guardrail, action) => this.found(asked, { guardrail, action }));
    if (!guard) return body;
    return bytes > atOnceBytes ? inTurns(guard, body) : guardedAtOnce(guard, body);
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
    this.logger.info({ requestId, guardrail, action }, 'a guardrail found something in a request');
  }

  /** A text that stands for the guardrails that the answer goes through: answers that went through others are not the same. */
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

/** Lets others have their turn in between. */
async function inTurns(guard: Guard, body: unknown): Promise<unknown> {
  const steps = guardedBody(guard, body);
  let sinceTurn = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    sinceTurn += step.value;
    if (sinceTurn < turnLength) continue;
    sinceTurn = 0;
    await nextTurn();
  }
}
