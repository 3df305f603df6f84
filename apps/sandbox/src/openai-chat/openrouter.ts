import { chargeOf, noUse, sellerOf } from '../bills/price-sheet';
import type { Spoken } from '../speech/simulated-dialect';

/** What OpenRouter puts in front of the ids of its answers, by which it tells what they cost. https://openrouter.ai/docs/api/api-reference/generations/get-generation */
export const generationPrefix = 'gen-';

/** The id of a completion: OpenRouter's, where the model is one that it sells, else OpenAI's. */
export function chatIdOf({ model, answerId }: Spoken): string {
  return `${sellerOf(model) === 'openrouter' ? generationPrefix : 'chatcmpl-'}${answerId}`;
}

/** What OpenRouter says in the usage that it charges, US dollars; nothing for a model of others. https://openrouter.ai/docs/use-cases/usage-accounting */
export function toldCost({ model, usage }: Spoken): { cost?: number } {
  if (!usage || sellerOf(model) !== 'openrouter') return {};
  const { inputTokens, cacheReadTokens, outputTokens } = usage;
  const use = { ...noUse, input: inputTokens - cacheReadTokens, cachedInput: cacheReadTokens, output: outputTokens };
  const picos = Object.values(chargeOf(model, use) ?? {}).reduce((sum, picoUsd) => sum + picoUsd, 0n);
  return { cost: Number(picos) / 1e12 };
}
