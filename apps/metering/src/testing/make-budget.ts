import { uuidv7 } from '@tollgate/contracts';
import type { BudgetUnit } from '@tollgate/contracts/metering';
import type { Database } from '@tollgate/database';
import { makeEvent } from './make-event';

/** What an event of `makeEvent` costs: 10 tokens at $1 and 5 at $2 a million. */
export const eventNanos = 20_000n;
/** The tokens of one. */
export const eventTokens = 15n;

/** An event of a key that no other account has, as in life. */
export const makeEventOfAccount: typeof makeEvent = (changes) =>
  makeEvent({ keyId: `key of ${changes?.accountId}`, ...changes });

export interface BudgetWish {
  unit?: BudgetUnit;
  limitNanoUsd?: bigint;
  window?: string;
  timeZone?: string;
  keyIds?: string[];
  project?: string;
  models?: string[];
  eachBy?: string;
  eachNames?: string;
  createdAt?: Date;
  openingNanoUsd?: bigint;
}

/** A budget of an account of its own: a thousand events of a month, unless it is wished otherwise. */
export async function makeBudget(
  accounts: Database<'accounts'>,
  wish: BudgetWish,
): Promise<{ id: string; accountId: string }> {
  const [id, accountId] = [uuidv7(), uuidv7()];
  const account = { id: accountId, name: 'a', email: `${accountId}@example.com`, purpose: '', plan: 'pro' };
  await accounts.account.create({ data: { ...account, status: 'active' } });
  const usual = { name: 'b', keyIds: [], limitNanoUsd: 1_000n * eventNanos, window: 'month', timeZone: 'UTC' };
  await accounts.budget.create({ data: { ...usual, ...wish, id, accountId } });
  return { id, accountId };
}
