import type { ListedModel } from '../api/catalog';
import { costOf, timesDecimal } from '../format/money';
import { formatCount } from '../format/number';

type Pricing = NonNullable<ListedModel['pricing']>;
type Rates = Pick<Pricing, 'input' | 'output' | 'cachedInput' | 'cacheWrite'>;

/** Rates that hold in a case: nano-dollars for a million tokens. Null: no rate of its own. */
export interface PriceLine {
  when: string;
  input: bigint | null;
  cachedInput: bigint | null;
  cacheWrite: bigint | null;
  output: bigint | null;
}

/** What a model costs where it does not cost what is usual, a line for each case. */
export const otherPricesOf = (pricing: Pricing): PriceLine[] => [
  ...(pricing.longContext ?? []).map((rates) =>
    lineOf(`More than ${formatCount(rates.aboveInputTokens)} tokens of input`, rates),
  ),
  ...(pricing.served ?? []).map(({ on, value, factor, rates }) =>
    lineOf(`${wordsOf(on)} ${value}`, rates ?? pricing, factor),
  ),
];

const wordsOf = (on: string): string => `${on.slice(0, 1).toUpperCase()}${on.slice(1)}`;

function lineOf(when: string, rates: Rates, factor: string | null = null): PriceLine {
  const read = (rate: string | null | undefined) => {
    if (rate == null) return null;
    const nanos = costOf(1_000_000, rate);
    return factor === null ? nanos : timesDecimal(nanos, factor);
  };
  return {
    when,
    input: read(rates.input),
    cachedInput: read(rates.cachedInput),
    cacheWrite: read(rates.cacheWrite),
    output: read(rates.output),
  };
}
