import type { Guardrail } from '@tollgate/contracts/catalog';
import { Guard } from './guard';
import { toRule } from './rule';
import type { Rule } from './rule';
import type { OnFinding } from './text-gate';

/** What says whether a guardrail holds. */
export interface GuardedRequest {
  readonly keyId: string;
  readonly model: string;
}

interface Held {
  readonly guardrail: Guardrail;
  readonly rule: Rule;
  readonly models: readonly RegExp[];
}

/** The operator's guardrails of one direction, ready for use. */
export class GuardrailSet {
  private readonly held: readonly Held[];

  constructor(guardrails: readonly Guardrail[], direction: 'input' | 'output') {
    this.held = guardrails
      .filter(({ appliesTo }) => appliesTo === direction || appliesTo === 'both')
      .map((guardrail) => ({ guardrail, rule: toRule(guardrail), models: guardrail.models.map(toModelExpression) }));
  }

  /** Those that hold for a request; null: none does. */
  guardFor(request: GuardedRequest, onFinding: OnFinding): Guard | null {
    if (this.held.length === 0) return null;
    const rules = this.holding(request).map(({ rule }) => rule);
    return rules.length === 0 ? null : new Guard(rules, onFinding);
  }

  /**
   * A text that is the same for requests with the same guardrails, and changes with them; empty: none holds.
   */
  nameFor(request: GuardedRequest): string {
    if (this.held.length === 0) return '';
    return JSON.stringify(
      this.holding(request).map(({ guardrail: { keys: _keys, models: _models, ...rest } }) => rest),
    );
  }

  private holding({ keyId, model }: GuardedRequest): Held[] {
    return this.held.filter(
      ({ guardrail: { keys }, models }) =>
        (keys.length === 0 || keys.includes(keyId)) &&
        (models.length === 0 || models.some((expression) => expression.test(model))),
    );
  }
}

/**
 * `*` matches any run of characters; runs of stars are one, so that a pattern cannot make the match explode.
 */
function toModelExpression(pattern: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
