import { readableSettings } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { printable } from '../text/table';

/** Who has a plan. */
interface PlanUse {
  readonly keys: number;
  readonly accounts: number;
}

/** A plan that goes, and who has it; null: that could not be asked. */
export interface PlanLeft {
  readonly name: string;
  readonly use: PlanUse | null;
}

/**
 * Plans that one document of settings has and the next one lacks, but for those that nobody has, and those
 * that the file says. Who has them is asked only where there are any; that it cannot be asked (a token that
 * may not, an accounts that is away) keeps nobody from going on.
 */
export async function plansLeft(
  gateway: Surroundings['gateway'],
  before: string,
  after: string,
): Promise<readonly PlanLeft[]> {
  const stay = new Set(planNames(after));
  const gone = planNames(before).filter((name) => !stay.has(name));
  if (gone.length === 0) return [];
  const plans = await plansInForce(gateway);
  return gone
    .filter((name) => plans?.get(name)?.origin !== 'file')
    .map((name): PlanLeft => {
      const { keys = null, accounts = null } = plans?.get(name) ?? {};
      return { name, use: keys === null || accounts === null ? null : { keys, accounts } };
    })
    .filter(({ use }) => use === null || use.keys > 0 || use.accounts > 0);
}

/** `3 keys and 1 account`. */
export function planUseText({ keys, accounts }: PlanUse): string {
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
  return `${counted(keys, 'key')} and ${counted(accounts, 'account')}`;
}

/** Lines below the changes of settings, each with its end. */
export function plansLeftText(plans: readonly PlanLeft[]): string {
  return plans
    .map(({ name, use }) => {
      const who = use === null ? 'who has it could not be asked' : `${planUseText(use)} have it`;
      return printable(`! plans ${name}: ${who}; without it they have the release's limits of this name, or of beta`);
    })
    .map((line) => `\n${line}`)
    .join('');
}

/** Also of plans that this release cannot read. */
function planNames(document: string): string[] {
  const { settings, unreadable } = readableSettings(document);
  const others = unreadable.flatMap(({ section, id }) => (section === 'plans' && id !== null ? [id] : []));
  return [...Object.keys(settings.plans), ...others];
}

async function plansInForce(gateway: Surroundings['gateway']) {
  try {
    const { plans } = await gateway.call(administrationOperations.listPlans, {});
    return new Map(plans.map((plan) => [plan.name, plan]));
  } catch (error) {
    if (error instanceof ControlError || error instanceof Refusal) return null;
    throw error;
  }
}
