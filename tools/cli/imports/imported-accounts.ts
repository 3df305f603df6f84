import { nanoUsdFromDecimal, decimalFromNanoUsd } from '@tollgate/contracts';
import type { ImportCounts, ImportedAccount, ImportedBudget, ImportedKey } from '@tollgate/contracts/accounts';

/** An account with all of its keys and budgets. */
export type AccountToTake = ImportedAccount & { keys: ImportedKey[]; budgets: ImportedBudget[] };

export interface ImportedAccounts {
  accounts: AccountToTake[];
  /**
   * Plans that keys name and that tollgate.yaml has to have: how many requests of a key run at once, by the
   * plan's name.
   */
  plans: Map<string, number>;
}

export const nobody: ImportedAccounts = { accounts: [], plans: new Map() };

/** The plans as tollgate.yaml has them. */
export function plansOf({ plans }: ImportedAccounts): Record<string, object> {
  const limits = { rpm: 'unlimited', quotaTokens: 'unlimited' };
  return Object.fromEntries([...plans].map(([name, concurrency]) => [name, { ...limits, concurrency }]));
}

/** How many there are of each, and what was spent with these keys before, in US dollars. */
export function sumsOf({ accounts }: ImportedAccounts): ImportCounts & { openingUsd: string } {
  const keys = accounts.flatMap((account) => account.keys);
  const nanos = keys.reduce((sum, { openingUsd = '0' }) => sum + nanoUsdFromDecimal(openingUsd), 0n);
  return {
    accounts: accounts.length,
    people: accounts.filter(({ person }) => person !== null).length,
    keys: keys.length,
    budgets: accounts.reduce((sum, { budgets }) => sum + budgets.length, 0),
    openingUsd: decimalFromNanoUsd(nanos),
  };
}

/**
 * The first of what a thing is called there that says something, in at most so many characters (UTF-16), none
 * of them a half of one.
 */
export function calledBy(mostCharacters: number, ...names: readonly (string | null | undefined)[]): string {
  const said = names.map((name) =>
    (name ?? '')
      .trim()
      .slice(0, mostCharacters)
      .replace(/[\ud800-\udbff]$/, '')
      .trimEnd(),
  );
  return said.find((name) => name !== '') ?? '(no name)';
}
