import { chargeOf, noUse, sellerOf } from '../bills/price-sheet';
import type { NeutralRequest } from '../request/neutral-request';
import type { Spoken } from '../speech/simulated-dialect';

/**
 * What OpenRouter puts in front of the ids of its answers, by which it tells what they cost.
 * https://openrouter.ai/docs/api/api-reference/generations/get-generation
 */
export const generationPrefix = 'gen-';

/** The id of a completion: OpenRouter's, where the model is one that it sells, else OpenAI's. */
export function chatIdOf({ model, answerId }: Spoken): string {
  return `${sellerOf(model) === 'openrouter' ? generationPrefix : 'chatcmpl-'}${answerId}`;
}

/**
 * What a usage says that the seller charges; nothing for one that does not say it. In dollars
 * https://openrouter.ai/docs/use-cases/usage-accounting, with its parts
 * https://docs.perplexity.ai/api-reference/chat-completions-post, in ticks of 1e-10 dollars
 * https://docs.x.ai/developers/cost-tracking
 */
export function toldCharge({ model, usage, request, choices }: Spoken): Record<string, unknown> {
  const seller = sellerOf(model);
  if (!usage || (seller !== 'openrouter' && seller !== 'perplexity' && seller !== 'xai')) return {};
  const { inputTokens, cacheReadTokens, outputTokens } = usage;
  const units = { ...Object.fromEntries(choices[0].hosted.map((tool) => [tool, 1])), ...request.fees };
  const use = { input: inputTokens - cacheReadTokens, cachedInput: cacheReadTokens, output: outputTokens, units };
  const charge = chargeOf(model, { ...noUse, ...use, served: request.served ?? [] }) ?? {};
  const picos = Object.values(charge).reduce((sum, picoUsd) => sum + picoUsd, 0n);
  if (seller === 'openrouter') return { cost: usdOf(picos) };
  if (seller === 'xai') return { cost_in_usd_ticks: Number(picos / 100n) };
  const { input = 0n, output = 0n } = charge;
  return {
    search_context_size: contextOf(request),
    cost: {
      input_tokens_cost: usdOf(input),
      output_tokens_cost: usdOf(output),
      request_cost: usdOf(picos - input - output),
      total_cost: usdOf(picos),
    },
  };
}

function contextOf({ fees = {} }: NeutralRequest): string {
  if (fees.highSearchContext) return 'high';
  return fees.mediumSearchContext ? 'medium' : 'low';
}

function usdOf(picos: bigint): number {
  return Number(picos) / 1e12;
}
