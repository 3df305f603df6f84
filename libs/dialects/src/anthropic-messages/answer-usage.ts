import type { TokenUsage } from '@tollgate/contracts';

/**
 * Usage as this dialect tells it: `input_tokens` without what came from the cache or went into it.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function toUsage(usage: TokenUsage | null): Record<string, unknown> {
  const written = (usage?.cacheWrite5m ?? 0) + (usage?.cacheWrite1h ?? 0);
  const cached = usage?.cachedInput ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.input ?? 0) - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    cache_creation: {
      ephemeral_5m_input_tokens: usage?.cacheWrite5m ?? 0,
      ephemeral_1h_input_tokens: usage?.cacheWrite1h ?? 0,
    },
    output_tokens: usage?.output ?? 0,
    ...(usage === null || usage.reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  };
}
