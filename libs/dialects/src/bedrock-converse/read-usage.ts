import type { TokenUsage } from '@tollgate/contracts';
import { isRecord } from '../wire/json-value';
import type { ModelFamily } from './model-family';

/**
 * Maps Converse's usage to ours; null when it tells nothing. What was read from or written to a cache is not
 * part of `inputTokens`
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html), except for OpenAI's models
 * (https://github.com/anomalyco/opencode/pull/47354).
 * Reasoning is part of `outputTokens` and not told apart.
 */
export function readUsage(usage: unknown, family: ModelFamily): TokenUsage | null {
  if (!isRecord(usage)) return null;
  const cachedInput = count(usage.cacheReadInputTokens);
  const cacheWrite = count(usage.cacheWriteInputTokens);
  const told = count(usage.inputTokens);
  const input = family === 'openai' ? Math.max(told, cachedInput + cacheWrite) : told + cachedInput + cacheWrite;
  if (input === 0) return null;
  const cacheWrite1h = Math.min(cacheWrite, writtenForAnHour(usage.cacheDetails));
  return {
    input,
    output: count(usage.outputTokens),
    cachedInput,
    cacheWrite5m: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    reasoning: 0,
    audioInput: 0,
    audioOutput: 0,
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CacheDetail.html */
function writtenForAnHour(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce(
    (sum: number, detail) => sum + (isRecord(detail) && detail.ttl === '1h' ? count(detail.inputTokens) : 0),
    0,
  );
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
