import type { BudgetUnit } from '@tollgate/contracts';
import { formatExactMoney, formatMoney } from '../format/money';

const whole = new Intl.NumberFormat();

/** An amount of a budget in its unit, nano-dollars or tokens, as it is read at a glance. */
export const formatAmount = (unit: BudgetUnit, amount: string): string =>
  unit === 'usd' ? formatMoney(amount) : formatTokens(amount);

/** The same with every digit there is. */
export const formatExactAmount = (unit: BudgetUnit, amount: string): string =>
  unit === 'usd' ? formatExactMoney(amount) : formatTokens(amount);

const formatTokens = (amount: string): string =>
  `${whole.format(BigInt(amount))} ${amount === '1' ? 'token' : 'tokens'}`;
