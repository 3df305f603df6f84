import type { TokenUsage } from '@tollgate/contracts';
import { served, servedTier } from '../canonical/served-terms';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Reads the usage of a response. Input includes cached tokens, output includes reasoning; `service_tier` is the one that served it. Null where nothing is told.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-usage
 */
export function readUsage({ usage, service_tier: tier }: Record<string, unknown>): TokenUsage | null {
  if (!isRecord(usage)) return null;
  const input = count(usage.input_tokens);
  if (input === 0) return null;
  const output = count(usage.output_tokens);
  const details = recordIn(usage, 'input_tokens_details');
  return {
    input,
    output,
    cachedInput: Math.min(input, count(details.cached_tokens)),
    cacheWrite5m: Math.min(input, count(details.cache_write_tokens)),
    cacheWrite1h: 0,
    reasoning: Math.min(output, count(recordIn(usage, 'output_tokens_details').reasoning_tokens)),
    audioInput: 0,
    audioOutput: 0,
    ...served({ tier: servedTier(tier) }),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
