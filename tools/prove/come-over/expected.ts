import type { Estate, PlannedBudget, PlannedKey } from './estate';
import { teamBudget } from './estate';

/** What stands in Tollgate's tables, or should. Amounts are nano-dollars, summed over all rows. */
export interface Holdings {
  accounts: number;
  people: number;
  keys: number;
  revoked: number;
  budgets: number;
  openingOfKeys: bigint;
  limits: bigint;
  openingOfBudgets: bigint;
}

/**
 * What should stand there, reckoned of the estate alone (the plan, with what LiteLLM itself booked since):
 * nothing of the importer's has a part in it.
 */
export function expectedHoldings(estate: Estate): Holdings {
  const came = estate.keys.filter(({ refused }) => refused !== 'expired');
  const budgets = budgetsOf(estate, came);
  const withKeys = new Set(came.map(ownerOf));
  const people = estate.users.filter(({ email }) => email !== null).length;
  const unnamed = estate.users.filter(({ email }, user) => email === null && withKeys.has(`user ${user}`)).length;
  const teams = estate.teams.filter((_, team) => withKeys.has(`team ${team}`)).length;
  return {
    accounts: people + unnamed + teams + (withKeys.has('nobody') ? 1 : 0),
    people,
    keys: came.length + estate.former.length,
    revoked: came.filter(({ refused }) => refused === 'blocked').length,
    budgets: budgets.length,
    openingOfKeys: sum(came.map(({ spent, total, logged }) => largest(spent, total, logged))),
    limits: sum(budgets.map(({ limit }) => limit)),
    openingOfBudgets: sum(budgets.map(({ spent }) => spent)),
  };
}

function budgetsOf(estate: Estate, came: readonly PlannedKey[]): (PlannedBudget & { spent: bigint })[] {
  const ofKeys = came.flatMap(({ own, shared, spent }) => {
    const budget = own ?? (shared === null ? undefined : estate.budgets[shared]);
    return budget ? [{ ...budget, spent }] : [];
  });
  const ofUsers = estate.users.flatMap(({ email, budget, spent }, user) => {
    const comes = email !== null || came.some((key) => ownerOf(key) === `user ${user}`);
    return budget && comes ? [{ ...budget, spent }] : [];
  });
  return [...ofKeys, ...estate.teams.map(({ spent }) => ({ ...teamBudget, spent })), ...ofUsers];
}

function ownerOf({ team, user }: PlannedKey): string {
  if (team !== null) return `team ${team}`;
  return user === null ? 'nobody' : `user ${user}`;
}

function largest(...amounts: bigint[]): bigint {
  return amounts.reduce((most, one) => (one > most ? one : most), 0n);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, one) => total + one, 0n);
}
