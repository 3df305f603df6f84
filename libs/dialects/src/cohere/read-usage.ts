import type { TokenUsage } from '@tollgate/contracts';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Maps Cohere's usage to ours; null when it counts nothing. `billed_units` is what Cohere charges for;
 * `tokens` also counts what Cohere itself puts around a prompt, and stands in only where nothing was billed
 * by tokens. Thoughts are part of the output and not told apart.
 * https://docs.cohere.com/docs/how-does-cohere-pricing-work
 */
export function readUsage(usage: unknown): TokenUsage | null {
  const counts = [recordIn(usage, 'billed_units'), recordIn(usage, 'tokens')].map((units) => ({
    input: count(units.input_tokens),
    output: count(units.output_tokens),
  }));
  const told = counts.find(({ input, output }) => input + output > 0);
  if (told === undefined) return null;
  return {
    ...told,
    cachedInput: Math.min(told.input, count(isRecord(usage) ? usage.cached_tokens : 0)),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning: 0,
    audioInput: 0,
    audioOutput: 0,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
