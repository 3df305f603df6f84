import { importOperations, type ImportCounts, type ImportedAccount } from '@tollgate/contracts/accounts';
import type { Gateway } from '../gateway';
import type { AccountToTake, ImportedAccounts } from './imported-accounts';

/** So many keys, or budgets, are told at once: a message holds a megabyte. */
const stepRows = 200;
const takeTimeoutMs = 60_000;

/**
 * So many accounts at once: they are written one after the other, but edges are told of one while the next is
 * written.
 */
const atOnce = 8;

/**
 * Has accounts take over each account, its keys before its budgets. Returns what was not there yet.
 * @throws ControlError what accounts says; what was taken stays.
 */
export async function takeAccounts(
  gateway: Gateway,
  { accounts }: ImportedAccounts,
  { source, actor }: { source: string; actor: string },
): Promise<ImportCounts> {
  const sum: ImportCounts = { accounts: 0, people: 0, keys: 0, budgets: 0 };
  const left = accounts.toReversed();
  const takeNext = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop())
      for (const account of stepsOf(next)) {
        const { made } = await gateway.call(
          importOperations.take,
          { source, actor, account },
          { timeoutMs: takeTimeoutMs },
        );
        for (const name of ['accounts', 'people', 'keys', 'budgets'] as const) sum[name] += made[name];
      }
  };
  const lanes = Array.from({ length: atOnce }, () =>
    takeNext().catch((error: unknown) => {
      left.length = 0;
      throw error;
    }),
  );
  const [failure] = (await Promise.allSettled(lanes)).filter(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return sum;
}

function stepsOf({ keys, budgets, ...account }: AccountToTake): ImportedAccount[] {
  const steps = [
    ...partsOf(keys).map((some) => ({ ...account, keys: some })),
    ...partsOf(budgets).map((some) => ({ ...account, budgets: some })),
  ];
  return steps.length > 0 ? steps : [account];
}

function partsOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / stepRows) }, (_, step) =>
    rows.slice(step * stepRows, (step + 1) * stepRows),
  );
}
