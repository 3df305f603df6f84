import type { Plan } from '@tollgate/contracts';
import { formatCount } from '../format/number';

/** Who would notice that a plan is gone. Empty: nobody knows. */
export function planUseText({ keys, accounts }: Pick<Plan, 'keys' | 'accounts'>): string {
  if (keys === null || accounts === null) return '';
  if (keys === 0 && accounts === 0) return 'No key and no account has it.';
  return `${counted(keys, 'key')} and ${counted(accounts, 'account')} have it.`;
}

const counted = (count: number, what: string): string => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
