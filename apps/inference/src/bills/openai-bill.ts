import { picoUsdFromDecimal } from '@tollgate/contracts';
import { kindInWords } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { readPages } from './read-pages';
import { tokens } from './told-bill';
import type { ToldBill, ToldLine, ToldMinute } from './told-bill';

/**
 * https://platform.openai.com/docs/api-reference/usage/costs_object. Amounts are told as numbers; exports
 * have them as texts.
 */
const costBucket = z.object({
  results: z.array(
    z.object({
      amount: z.object({ value: z.union([z.number(), z.string()]), currency: z.string() }).nullish(),
      line_item: z.string().nullish(),
    }),
  ),
});

/**
 * https://platform.openai.com/docs/api-reference/usage/completions_object,
 * https://platform.openai.com/docs/api-reference/usage/embeddings_object
 */
const usageBucket = z.object({
  start_time: z.number().int(),
  results: z.array(
    z.object({
      model: z.string().nullish(),
      input_tokens: tokens,
      input_cached_tokens: tokens,
      output_tokens: tokens,
    }),
  ),
});

/** Pages of a whole day in minutes would be larger than what is read of an answer. */
const minutesOfPage = '240';

/** What OpenAI bills for the day that begins at `fromS` (epoch seconds). @throws BillProblem */
export async function readOpenaiBill(endpoint: ProviderEndpoint, fromS: number): Promise<ToldBill> {
  const window = [
    ['start_time', String(fromS)],
    ['end_time', String(fromS + 86_400)],
  ] as const;
  const costs = await readPages(
    endpoint,
    '/organization/costs',
    [...window, ['bucket_width', '1d'], ['group_by', 'line_item'], ['limit', '1']],
    costBucket,
  );
  const minutes: ToldMinute[] = [];
  for (const usage of ['completions', 'embeddings']) {
    const asked = [...window, ['bucket_width', '1m'], ['group_by', 'model'], ['limit', minutesOfPage]] as const;
    const buckets = await readPages(endpoint, `/organization/usage/${usage}`, asked, usageBucket);
    for (const { start_time: atS, results } of buckets)
      for (const { model, ...used } of results)
        minutes.push({
          model: model ?? '',
          at: atS * 1_000,
          uses: {
            input: used.input_tokens - used.input_cached_tokens,
            cachedInput: used.input_cached_tokens,
            output: used.output_tokens,
          },
        });
  }
  return { lines: costs.flatMap(({ results }) => results.flatMap(toLine)), minutes };
}

function toLine({ amount, line_item: item }: z.output<typeof costBucket>['results'][number]): ToldLine[] {
  if (!amount || amount.currency.toLowerCase() !== 'usd') return [];
  const [model = '', ...rest] = (item ?? '').split(', ');
  const words = rest.join(', ');
  const picoUsd = picoUsdFromDecimal(String(amount.value));
  // `gpt-4o-2024-08-06, cached input`: the form stands in accounts' answers, no page names it. An item
  // without a comma is no model's, such as a tool.
  if (words === '') return [{ model: '', kind: kindInWords(model), picoUsd }];
  return [{ model, kind: kindInWords(words), picoUsd }];
}
