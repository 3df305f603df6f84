import type { ListedModel } from '../api/catalog';
import { formatPrice } from '../format/money';
import { formatCompact } from '../format/number';

const names: Record<string, string> = {
  tools: 'Tools',
  vision: 'Images',
  reasoning: 'Reasoning',
  structured_output: 'Structured output',
  structuredOutput: 'Structured output',
};

/** What a model can do beyond text, in words. Streaming goes without saying. */
export const capabilitiesOf = ({ capabilities }: ListedModel): string[] =>
  Object.entries(names)
    .filter(([name]) => capabilities[name])
    .map(([, text]) => text);

/** "Unknown" is not free. */
export const priceOf = (price: string | null | undefined): string => (price == null ? 'Unknown' : formatPrice(price));

export const contextOf = ({ contextWindow }: ListedModel): string =>
  contextWindow === null ? '–' : formatCompact(contextWindow);

/** Whether it can be asked, in words. */
export function standingOf({ available, availableWithKeyOf }: ListedModel): string {
  if (available) return 'available';
  return availableWithKeyOf ? 'with an own key' : 'not available';
}
