import type { Plan } from '@tollgate/contracts/accounts';
import type { SettingsChange } from '@tollgate/contracts/catalog';
import { formatCount } from '../format/number';

/** Who would notice that a plan is gone. Empty: nobody knows. */
export function planUseText({ keys, accounts }: Pick<Plan, 'keys' | 'accounts'>): string {
  if (keys === null || accounts === null) return '';
  if (keys === 0 && accounts === 0) return 'No key and no account has it.';
  return `${counted(keys, 'key')} and ${counted(accounts, 'account')} have it.`;
}

/** Of a plan that a change of settings removes. Empty: of any other change, and where the file has it. */
export function planLossText(
  { section, id, what }: Pick<SettingsChange, 'section' | 'id' | 'what'>,
  plans: Plan[],
): string {
  const plan = plans.find(({ name }) => section === 'plans' && what === 'removed' && name === id);
  return !plan || plan.origin === 'file' ? '' : `${planUseText(plan)} ${planGone}`.trim();
}

/** What becomes of who has it. */
export const planGone =
  'A plan of the release has its own limits again. Of any other the keys have the limits of beta, until they have another plan or it is put back.';

const counted = (count: number, what: string): string => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
