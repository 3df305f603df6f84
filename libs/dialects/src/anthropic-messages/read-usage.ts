import type { TokenUsage } from '@tollgate/contracts';
import { served, servedTier, servedWord } from '../canonical/served-terms';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Usage as it comes over a stream: `message_start` tells the input, `message_delta` the totals so far, and each may leave out what the other told.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class UsageReader {
  private members: Record<string, unknown> = {};

  /** Takes a `usage` object; what it does not tell stays as it was. Null: nothing was told yet. */
  add(usage: unknown): TokenUsage | null {
    if (!isRecord(usage)) return null;
    const told = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.members = { ...this.members, ...Object.fromEntries(told) };
    return told.length === 0 ? null : toTokenUsage(this.members);
  }
}

/**
 * Anthropic counts what comes from the cache and what goes into it beside `input_tokens`; here input includes both.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
function toTokenUsage(usage: Record<string, unknown>): TokenUsage {
  const written = count(usage.cache_creation_input_tokens);
  const cacheWrite1h = count(recordIn(usage, 'cache_creation').ephemeral_1h_input_tokens);
  const told5m = count(recordIn(usage, 'cache_creation').ephemeral_5m_input_tokens);
  // Without the breakdown all writes have the default lifetime, 5 minutes.
  const cacheWrite5m = Math.max(told5m, written - cacheWrite1h);
  const cachedInput = count(usage.cache_read_input_tokens);
  const output = count(usage.output_tokens);
  return {
    input: count(usage.input_tokens) + cachedInput + cacheWrite5m + cacheWrite1h,
    output,
    cachedInput,
    cacheWrite5m,
    cacheWrite1h,
    reasoning: Math.min(output, count(recordIn(usage, 'output_tokens_details').thinking_tokens)),
    audioInput: 0,
    audioOutput: 0,
    ...served({
      tier: servedTier(usage.service_tier),
      speed: unusual(usage.speed, ['standard']),
      region: unusual(usage.inference_geo, ['global', 'not_available']),
    }),
  };
}

/** https://platform.claude.com/docs/en/build-with-claude/fast-mode https://platform.claude.com/docs/en/build-with-claude/data-residency */
function unusual(told: unknown, usual: readonly string[]): string | undefined {
  const word = servedWord(told);
  return word === undefined || usual.includes(word) ? undefined : word;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
