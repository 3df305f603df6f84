import type { BudgetEach } from '@tollgate/contracts/metering';
import type { ListedBudget } from '../api/budgets';

/**
 * Whose money a budget is, by what the dialog offers. One more is added here, and to
 * `ownerOf`: lists, pages and the dialog read both.
 */
export const owners = { account: 'The whole account', key: 'One key', project: 'The keys of a project' } as const;
export type Owner = keyof typeof owners;

/** Who has the limit alone. */
export const shares = {
  together: 'All of it together',
  end_user: 'Each end user alone',
  tag: 'Each tag alone',
} as const satisfies Record<BudgetEach['by'] | 'together', string>;

export function ownerOf({ keyIds, project }: Pick<ListedBudget, 'keyIds' | 'project'>): Owner {
  if (project !== null) return 'project';
  return keyIds.length > 0 ? 'key' : 'account';
}

const eachNames: Record<BudgetEach['by'], { one: string; filter: string }> = {
  end_user: { one: 'end user', filter: 'endUser' },
  tag: { one: 'tag', filter: 'tag' },
};

/** "each end user", "each tag team=*". */
export function eachWords({ by, names }: BudgetEach): string {
  return names === '*' ? `each ${eachNames[by].one}` : `each ${eachNames[by].one} ${names}`;
}

/** What a name of it is, and by which parameter the log of requests is restricted to it. */
export const eachNameOf = ({ by }: BudgetEach) => eachNames[by];
