import type { BudgetState } from '@tollgate/contracts/metering';
import { setTimeout as delay } from 'node:timers/promises';

/** Of how a budget stood, whenever somebody could tell. Amounts in the unit of the budget. */
export interface Watched {
  /** The most by which spent and held together were more than the limit; 0: they never were. */
  over: bigint;
  /** The least that was spent, of what was told before `until`. */
  least: bigint | null;
}

const everyMs = 200;

/** Asks how a budget stands until `isOver` says so. `until`: epoch milliseconds. */
export async function watchBudget(
  ask: () => Promise<BudgetState | undefined>,
  until: number,
  isOver: () => boolean,
): Promise<Watched> {
  const watched: Watched = { over: 0n, least: null };
  while (!isOver()) {
    const state = await ask();
    if (state) {
      const spent = BigInt(state.spentNanoUsd);
      const beyond = spent + BigInt(state.heldNanoUsd) - BigInt(state.limitNanoUsd);
      if (beyond > watched.over) watched.over = beyond;
      if (Date.now() < until && (watched.least === null || spent < watched.least)) watched.least = spent;
    }
    await delay(everyMs);
  }
  return watched;
}
