import { picoUsdFromDecimal } from '@tollgate/contracts';
import { z } from 'zod';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { readPages } from './read-pages';
import { tokens } from './told-bill';
import type { ToldBill, ToldLine, ToldMinute } from './told-bill';

const text = z.string().nullish();

/** https://platform.claude.com/docs/en/api/admin/cost_report: `amount` is a decimal text in cents. */
const costBucket = z.object({
  results: z.array(
    z.object({
      amount: z.string(),
      currency: z.string(),
      cost_type: text,
      token_type: text,
      model: text,
      description: text,
    }),
  ),
});

/** https://platform.claude.com/docs/en/api/admin/usage_report/retrieve_messages */
const usageBucket = z.object({
  starting_at: z.string(),
  results: z.array(
    z.object({
      model: text,
      uncached_input_tokens: tokens,
      cache_read_input_tokens: tokens,
      cache_creation: z
        .object({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: tokens })
        .nullish()
        .transform((value) => value ?? { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }),
      output_tokens: tokens,
    }),
  ),
});

const tokenKinds: Record<string, string> = {
  uncached_input_tokens: 'input',
  output_tokens: 'output',
  cache_read_input_tokens: 'cachedInput',
  'cache_creation.ephemeral_5m_input_tokens': 'cacheWrite5m',
  'cache_creation.ephemeral_1h_input_tokens': 'cacheWrite1h',
};
const costKinds: Record<string, string> = { web_search: 'webSearch', code_execution: 'codeExecution' };
const minutesOfPage = '240';

/**
 * What Anthropic bills for the day that begins at `fromS` (epoch seconds). Its report leaves the priority
 * tier out: https://platform.claude.com/docs/en/manage-claude/usage-cost-api
 * @throws BillProblem
 */
export async function readAnthropicBill(endpoint: ProviderEndpoint, fromS: number): Promise<ToldBill> {
  const window = [
    ['starting_at', instant(fromS)],
    ['ending_at', instant(fromS + 86_400)],
  ] as const;
  const costs = await readPages(
    endpoint,
    '/organizations/cost_report',
    [...window, ['bucket_width', '1d'], ['group_by[]', 'description'], ['limit', '1']],
    costBucket,
  );
  const usage = await readPages(
    endpoint,
    '/organizations/usage_report/messages',
    [...window, ['bucket_width', '1m'], ['group_by[]', 'model'], ['limit', minutesOfPage]],
    usageBucket,
  );
  const minutes = usage.flatMap(({ starting_at: at, results }) =>
    results.map((used): ToldMinute => {
      const { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h } = used.cache_creation;
      const { uncached_input_tokens: input, cache_read_input_tokens: cachedInput, output_tokens: output } = used;
      return {
        model: used.model ?? '',
        at: Date.parse(at),
        uses: { input, cachedInput, cacheWrite5m, cacheWrite1h, output },
      };
    }),
  );
  return { lines: costs.flatMap(({ results }) => results.flatMap(toLine)), minutes };
}

function toLine(told: z.output<typeof costBucket>['results'][number]): ToldLine[] {
  if (told.currency.toLowerCase() !== 'usd') return [];
  const { cost_type: cost, token_type: token, model, description } = told;
  const kind = (token && tokenKinds[token]) ?? (cost && costKinds[cost]) ?? token ?? description ?? cost ?? '';
  return [{ model: model ?? '', kind, picoUsd: picoUsdFromDecimal(told.amount, 2) }];
}

function instant(atS: number): string {
  return new Date(atS * 1_000).toISOString().replace('.000Z', 'Z');
}
