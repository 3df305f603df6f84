import { releasePlans, type PlanLimits } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import type { Plan } from '@tollgate/contracts/accounts';

/** Plans by their names. */
export type Plans = Readonly<Record<string, PlanLimits>>;

/** A plan, and who says it. */
type PlanOf = { [Name in keyof PlanLimits]: PlanLimits[Name] } & Pick<Plan, 'origin'>;

/**
 * The plans of this gateway: those of the release, in their place or beside them what is set without
 * tollgate.yaml, and above all what the file says.
 */
export class PlanTable {
  private constructor(private readonly plans: ReadonlyMap<string, PlanOf>) {}

  static of(fromFile: Plans = {}, fromSettings: Plans = {}): PlanTable {
    return new PlanTable(
      new Map([
        ...Object.entries(releasePlans).map(from('release')),
        ...Object.entries(fromSettings).map(from('settings')),
        ...Object.entries(fromFile).map(from('file')),
      ]),
    );
  }

  /** What `toJson` told. `origin` absent: a release told it that knew of none. */
  static stored(plans: Readonly<Record<string, PlanLimits & { origin?: Plan['origin'] | undefined }>>): PlanTable {
    return new PlanTable(
      new Map([
        ...Object.entries(releasePlans).map(from('release')),
        ...Object.entries(plans).map(([name, plan]) => {
          const origin = plan.origin ?? (Object.hasOwn(releasePlans, name) ? 'release' : 'file');
          return [name, { ...plan, origin }] as const;
        }),
      ]),
    );
  }

  /**
   * The limits of a plan. A plan that is not defined any more counts as beta, the smallest: no key may grow
   * because a line was deleted.
   */
  limits(plan: string): PlanLimits {
    const { origin: _origin, ...limits } = this.plans.get(plan) ??
      this.plans.get('beta') ?? { ...releasePlans.beta, origin: null };
    return limits;
  }

  /** @throws ControlError `invalid`, naming the plans that exist. */
  requireKnown(plan: string): void {
    if (this.plans.has(plan)) return;
    throw new ControlError('invalid', `There is no plan "${plan}". Plans: ${[...this.plans.keys()].join(', ')}.`);
  }

  /** All plans as plain data, to be stored and compared. */
  toJson(): Record<string, PlanOf> {
    return Object.fromEntries([...this.plans].map(([name, plan]) => [name, { ...plan }]));
  }
}

const from =
  (origin: Plan['origin']) =>
  ([name, limits]: [string, PlanLimits]): [string, PlanOf] => [name, { ...limits, origin }];
