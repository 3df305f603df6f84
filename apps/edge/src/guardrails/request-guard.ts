import { Inject, Injectable } from '@nestjs/common';
import type { Guardrail } from '@tollgate/contracts';
import { guardrailError } from '@tollgate/contracts';
import { textRunsOf, withTexts } from '@tollgate/dialects/surface';
import { GuardrailSet } from '@tollgate/guardrails';
import type { Guard } from '@tollgate/guardrails';
import type { Logger } from '@tollgate/observability';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ModelCatalog } from '../catalog/model-catalog';
import { EdgeMetrics } from '../health/edge-metrics';
import { LOGGER } from '../settings';

/** Bodies up to this size are looked through at once, which takes some milliseconds for each guardrail. */
const atOnceBytes = 65_536;
/** Characters that are looked through in one turn. */
const turnLength = 65_536;

/** Whose request it is, which, and for which model (the public id). */
interface Asked {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
}

/** Looks through the texts of requests by the operator's guardrails, as the newest snapshot of the catalog has them. Without any it does nothing. */
@Injectable()
export class RequestGuard {
  private from: readonly Guardrail[] = [];
  private input = new GuardrailSet([], 'input');
  private output = new GuardrailSet([], 'output');

  constructor(
    private readonly catalog: ModelCatalog,
    private readonly metrics: EdgeMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** False: there is nothing to look for in requests, so that nobody needs to parse them for it. */
  get isOn(): boolean {
    this.follow();
    return this.from.length > 0;
  }

  /**
   * The parsed body as it may go on: the same object, unless something was taken out. A promise for a body of many `bytes`, which others need not wait for.
   * @throws GatewayError 400 naming the guardrail that blocks it; the promise rejects with it.
   */
  check(asked: Asked, body: unknown, bytes: number): unknown {
    this.follow();
    const guard = this.input.guardFor(asked, (guardrail, action) => {
      this.metrics.guardrailFound(guardrail, action);
      this.logger.info({ requestId: asked.requestId, guardrail, action }, 'a guardrail found something in a request');
    });
    if (!guard) return body;
    return bytes > atOnceBytes ? inTurns(guard, body) : atOnce(guard, body);
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
    this.input = new GuardrailSet(guardrails, 'input');
    this.output = new GuardrailSet(guardrails, 'output');
  }
}

function atOnce(guard: Guard, body: unknown): unknown {
  const steps = checked(guard, body);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Lets others have their turn in between. */
async function inTurns(guard: Guard, body: unknown): Promise<unknown> {
  const steps = checked(guard, body);
  let sinceTurn = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    sinceTurn += step.value;
    if (sinceTurn < turnLength) continue;
    sinceTurn = 0;
    await nextTurn();
  }
}

/** Looks through a body in steps, each of which tells how many characters it took. Texts that come again are looked through once. */
function* checked(guard: Guard, body: unknown): Generator<number, unknown> {
  const known = new Map<string, string>();
  const passed: string[] = [];
  for (const { texts, places } of textRunsOf(body)) {
    const [only = ''] = texts;
    const seen = texts.length === 1 ? known.get(only) : undefined;
    const { texts: left, blockedBy } =
      seen === undefined ? yield* guard.check(texts) : { texts: [seen], blockedBy: null };
    if (blockedBy !== null) throw guardrailError('request', blockedBy);
    if (texts.length === 1) known.set(only, left[0] ?? '');
    for (const [index, place] of places.entries()) passed[place] = left[index] ?? '';
  }
  return withTexts(body, passed);
}
