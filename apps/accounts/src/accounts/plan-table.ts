import type { PlanLimits } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';

const beta: PlanLimits = { rpm: 60, tpm: null, quotaTokens: 1_000_000, concurrency: null };

const defaults: Readonly<Record<string, PlanLimits>> = {
  beta,
  pro: { rpm: 250, tpm: null, quotaTokens: 50_000_000, concurrency: null },
  // Custom: unlimited, unless the key says otherwise.
  enterprise: { rpm: null, tpm: null, quotaTokens: null, concurrency: null },
};

/**
 * The plans of this gateway: the defaults, and what the `plans` section of tollgate.yaml replaces or adds.
 */
export class PlanTable {
  private readonly plans: ReadonlyMap<string, PlanLimits>;

  constructor(fromFile: Readonly<Record<string, PlanLimits>> = {}) {
    this.plans = new Map([...Object.entries(defaults), ...Object.entries(fromFile)]);
  }

  /**
   * The limits of a plan. A plan that is not defined any more counts as beta, the smallest: no key may grow
   * because a line was deleted.
   */
  limits(plan: string): PlanLimits {
    return this.plans.get(plan) ?? this.plans.get('beta') ?? beta;
  }

  /** @throws ControlError `invalid`, naming the plans that exist. */
  requireKnown(plan: string): void {
    if (this.plans.has(plan)) return;
    throw new ControlError('invalid', `There is no plan "${plan}". Plans: ${[...this.plans.keys()].join(', ')}.`);
  }

  /** All plans as plain data, to be stored and compared. */
  toJson(): Record<string, { [Name in keyof PlanLimits]: number | null }> {
    return Object.fromEntries([...this.plans].map(([name, limits]) => [name, { ...limits }]));
  }
}
