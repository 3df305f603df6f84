import { hoursAt } from '@tollgate/contracts/catalog';
import type { ListedModel } from '../api/catalog';
import { costOf, timesDecimal } from '../format/money';
import type { Measure } from './turns';

/**
 * What an answer costs by the price list, at the hour at which it ended, in whole nano-dollars as a decimal
 * string; null: not known. The ledger has the exact charge.
 */
export function answerCost(
  { inputTokens, cachedTokens, outputTokens, endedAt }: Measure,
  pricing: ListedModel['pricing'],
): string | null {
  const { input, output, cachedInput, hours } = pricing ?? {};
  if (input == null || output == null || inputTokens === null || outputTokens === null) return null;
  const cached = Math.min(cachedTokens, inputTokens);
  const cost =
    costOf(inputTokens - cached, input) + costOf(cached, cachedInput ?? input) + costOf(outputTokens, output);
  const factor = endedAt === null ? undefined : hoursAt(hours, endedAt)?.factor;
  return String(factor === undefined ? cost : timesDecimal(cost, factor));
}
