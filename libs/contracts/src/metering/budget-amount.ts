import type { BudgetUnit } from './budgets';
import { decimalFromNanoUsd } from '../money';

/** An amount of a budget in words, such as "$2.5" or "1,500 tokens". `amount`: nano-dollars, or tokens. */
export function budgetAmount(unit: BudgetUnit, amount: bigint | string): string {
  const whole = BigInt(amount);
  if (unit === 'usd') return `$${decimalFromNanoUsd(whole)}`;
  return `${whole.toLocaleString('en-US')} ${whole === 1n ? 'token' : 'tokens'}`;
}
