import { picoUsdFromDecimal } from '@tollgate/contracts';
import type { KeptAnswer } from '@tollgate/contracts/metering';
import { someAtOnce } from '@tollgate/service';
import { z } from 'zod';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { BillProblem, readDocument } from './read-pages';
import type { ToldBill, ToldLine } from './told-bill';

/** More would be asked for all day; whoever has more imports a file. */
const mostAnswers = 50_000;
const atOnce = 8;

/**
 * https://openrouter.ai/docs/api/api-reference/generations/get-generation: `total_cost` is what OpenRouter
 * charges. Where the account has a key of the model's provider, that is its fee alone, and what the provider
 * charges stands beside it:
 * https://openrouter.ai/docs/cookbook/administration/usage-accounting
 */
const generation = z.object({
  data: z.object({
    total_cost: z.number().nonnegative(),
    is_byok: z.boolean().nullish(),
    upstream_inference_cost: z.number().nonnegative().nullish(),
  }),
});

/**
 * What OpenRouter charges for these answers of a day, one by one. What it does not know is not billed.
 * @throws BillProblem
 */
export async function readOpenrouterBill(
  endpoint: ProviderEndpoint,
  answers: AsyncIterable<readonly KeptAnswer[]>,
): Promise<ToldBill> {
  const lines: ToldLine[] = [];
  let count = 0;
  for await (const step of answers) {
    count += step.length;
    if (count > mostAnswers)
      throw new BillProblem(`it gave more than ${mostAnswers} answers, which are too many to ask for one by one`);
    lines.push(...(await someAtOnce(step, atOnce, (answer) => lineOf(endpoint, answer))).flat());
  }
  return { lines, minutes: [] };
}

async function lineOf(endpoint: ProviderEndpoint, { answerId, eventId, model }: KeptAnswer): Promise<ToldLine[]> {
  const told = await readDocument(endpoint, `/generation?id=${encodeURIComponent(answerId)}`, generation);
  if (!told) return [];
  const { total_cost: cost, is_byok: isOwnKey, upstream_inference_cost: providers } = told.data;
  const picoUsd = picoUsdOf(cost) + (isOwnKey === true ? picoUsdOf(providers ?? 0) : 0n);
  return [{ model, kind: '', picoUsd, eventId }];
}

/**
 * A double in dollars has at most sixteen digits; what stands behind the pico-dollar is none of the bill's.
 */
function picoUsdOf(usd: number): bigint {
  return picoUsdFromDecimal(usd.toFixed(12));
}
