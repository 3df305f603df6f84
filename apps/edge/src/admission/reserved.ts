import type { BudgetHold } from '@tollgate/contracts';
import type { Charge } from './budgets/budget-lease';
import { noReservation } from './quota-book';
import type { Reservation } from './quota-book';

/** What is set aside for one request: tokens of its key's quota (`leaseId` null: of none), and money of budgets. It is settled once. */
export interface Reserved extends Pick<Reservation, 'leaseId' | 'tokens'> {
  readonly holds: readonly BudgetHold[];
  /** The request ended, having used so many tokens; null: unknown, so all that was reserved counts as used. */
  settle(usedTokens: number | null, charge: Charge): void;
}

/** Of a request that uses nothing. */
export const nothingReserved: Reserved = { ...noReservation, holds: [] };
