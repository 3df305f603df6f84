import type { BudgetHold, CallerKey } from '@tollgate/contracts';
import type { Charge } from './leases/budget-lease';
import { noReservation } from './leases/quota-reservations';
import type { Reservation } from './leases/quota-reservations';

/**
 * What is set aside for one request: tokens of its key's quota (`leaseId` null: of none), and what it holds
 * of budgets. It is settled once.
 */
export interface Reserved extends Pick<Reservation, 'leaseId' | 'tokens'> {
  readonly holds: readonly BudgetHold[];
  /**
   * The request ended, having used so many tokens; null: unknown, so all that was reserved counts as used.
   */
  settle(usedTokens: number | null, charge: Charge): void;
}

/**
 * Whether a key's requests use nothing that is counted before they are asked for: it has no quota, no limit
 * of tokens a minute or of a model, and no budget.
 */
export function usesNothingCounted(key: Pick<CallerKey, 'quotaTokens' | 'tpm' | 'modelLimits' | 'budgets'>): boolean {
  return key.quotaTokens === null && key.tpm === null && key.modelLimits.length === 0 && key.budgets.length === 0;
}

/** Of a request that uses nothing. */
export const nothingReserved: Reserved = { ...noReservation, holds: [] };
