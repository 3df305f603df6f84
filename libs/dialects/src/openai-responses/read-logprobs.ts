import type { TokenLogprob } from '../canonical/generation-event';
import { isRecord } from '../wire/json-value';

/**
 * https://platform.openai.com/docs/api-reference/responses-streaming/response/output_text/delta#responses-streaming-response-output_text-delta-logprobs
 */
export function readLogprobs(logprobs: unknown): TokenLogprob[] {
  if (!Array.isArray(logprobs)) return [];
  return logprobs.flatMap((item: unknown) => {
    const head = readToken(item);
    if (!head || !isRecord(item)) return [];
    const { top_logprobs: top } = item;
    return [{ ...head, top: Array.isArray(top) ? top.flatMap((each: unknown) => readToken(each) ?? []) : [] }];
  });
}

function readToken(item: unknown): Omit<TokenLogprob, 'top'> | null {
  if (!isRecord(item) || typeof item.token !== 'string' || typeof item.logprob !== 'number') return null;
  const bytes = Array.isArray(item.bytes) ? item.bytes.filter((byte) => typeof byte === 'number') : null;
  return { token: item.token, logprob: item.logprob, bytes };
}
