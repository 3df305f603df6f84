import { ControlError, decimalFromNanoUsd, nanoUsdFromDecimal } from '@tollgate/contracts';
import type { BudgetUnit } from '@tollgate/contracts/metering';
import type { StoredBudget } from './stored-budget';

/** A limit as somebody tells it: one of these, or for a change neither. */
interface ToldLimit {
  readonly limitUsd?: string | undefined;
  readonly limitTokens?: number | undefined;
}
/** An amount as the database holds it, in its unit. */
type StoredLimit = Pick<StoredBudget, 'limitNanoUsd'> & { unit: BudgetUnit };

/** The limit of a new budget. @throws ControlError `invalid` unless it is dollars or tokens, and not both. */
export function limitOf(told: ToldLimit): StoredLimit {
  const limit = readLimit(told);
  if (limit) return limit;
  throw new ControlError('invalid', 'limitUsd: a budget is of US dollars (limitUsd) or of tokens (limitTokens).');
}

/**
 * What a change makes of the limit of a budget: nothing where it tells none.
 * @throws ControlError `invalid` for another unit than that of the budget: what is spent is counted in it.
 */
export function changedLimit({ unit }: Pick<StoredBudget, 'unit'>, told: ToldLimit): Partial<StoredLimit> {
  const limit = readLimit(told);
  if (!limit || limit.unit === unit) return limit ?? {};
  const [wrong, right] = unit === 'usd' ? ['limitTokens', 'limitUsd'] : ['limitUsd', 'limitTokens'];
  throw new ControlError('invalid', `${wrong}: it is a budget of ${inWords(unit)}: change ${right}.`);
}

/** Null: none is told. */
function readLimit({ limitUsd, limitTokens }: ToldLimit): StoredLimit | null {
  if (limitUsd !== undefined && limitTokens !== undefined)
    throw new ControlError('invalid', 'limitTokens: a budget is of US dollars or of tokens, not of both.');
  if (limitUsd !== undefined) return { unit: 'usd', limitNanoUsd: nanoUsdFromDecimal(limitUsd) };
  return limitTokens === undefined ? null : { unit: 'tokens', limitNanoUsd: BigInt(limitTokens) };
}

const inWords = (unit: string): string => (unit === 'usd' ? 'US dollars' : 'tokens');

/** The limit as it is told, for the audit log: `limitUsd` or `limitTokens`, with `after` behind the name. */
export function limitInWords(
  { unit, limitNanoUsd }: Pick<StoredBudget, 'unit' | 'limitNanoUsd'>,
  after: '' | 'Before' = '',
): Record<string, string | number> {
  if (unit === 'tokens') return { [`limitTokens${after}`]: Number(limitNanoUsd) };
  return { [`limitUsd${after}`]: decimalFromNanoUsd(limitNanoUsd) };
}
