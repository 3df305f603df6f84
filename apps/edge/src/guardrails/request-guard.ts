import { Inject, Injectable } from '@nestjs/common';
import type { Guardrail } from '@tollgate/contracts';
import { guardrailError } from '@tollgate/contracts';
import { mapRequestTexts } from '@tollgate/dialects/surface';
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
const pieceLength = 65_536;

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
    return bytes > atOnceBytes ? inTurns(guard, body) : mapRequestTexts(body, (text) => passed(guard, text));
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

/** Looks through a body text by text and piece by piece, and lets others have their turn in between. */
async function inTurns(guard: Guard, body: unknown): Promise<unknown> {
  const texts = new Set<string>();
  mapRequestTexts(body, (text) => {
    texts.add(text);
    return text;
  });
  const left = new Map<string, string>();
  let sinceTurn = 0;
  for (const text of texts) {
    const gate = guard.gate();
    let out = '';
    for (let at = 0; at < text.length; at += pieceLength) {
      out += gate.push(text.slice(at, at + pieceLength));
      sinceTurn += Math.min(pieceLength, text.length - at);
      if (sinceTurn < pieceLength) continue;
      sinceTurn = 0;
      await nextTurn();
    }
    out += gate.end();
    if (gate.blockedBy !== null) throw guardrailError('request', gate.blockedBy);
    left.set(text, out);
  }
  return mapRequestTexts(body, (text) => left.get(text) ?? passed(guard, text));
}

function passed(guard: Guard, whole: string): string {
  const { text, blockedBy } = guard.check(whole);
  if (blockedBy !== null) throw guardrailError('request', blockedBy);
  return text;
}
