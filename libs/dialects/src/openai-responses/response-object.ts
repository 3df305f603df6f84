import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerContext } from '../canonical/codec';
import type { FinishReason } from '../canonical/generation-event';
import { isRecord } from '../wire/json-value';
import { conversationOf } from './kept-conversation';

/** How a response stands. A reason that leaves the answer cut short makes it incomplete. */
export interface ResponseState {
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete';
  reason: 'max_output_tokens' | 'content_filter' | null;
}

/**
 * `isRefusalTold`: a part of the answer is a refusal, which ends as OpenAI ends it.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-incomplete_details
 */
export function stateOf(finish: FinishReason, isRefusalTold = false): ResponseState {
  if (finish === 'length' || finish === 'context-length') return { status: 'incomplete', reason: 'max_output_tokens' };
  // Some providers end a refusal without a part that says so:
  // https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
  if (finish === 'content-filter' || (finish === 'refusal' && !isRefusalTold))
    return { status: 'incomplete', reason: 'content_filter' };
  return { status: 'completed', reason: null };
}

/**
 * The response object: what was asked, repeated, and what has come of it so far.
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function responseObject(
  { body, model }: Pick<AnswerContext, 'body' | 'model'>,
  head: { id: string; createdAtS: number },
  state: ResponseState,
  output: readonly object[],
  usage: TokenUsage | null,
): Record<string, unknown> {
  const text = isRecord(body.text) ? body.text : {};
  const reasoning = isRecord(body.reasoning) ? body.reasoning : {};
  const conversation = conversationOf(body.conversation);
  return {
    id: head.id,
    object: 'response',
    created_at: head.createdAtS,
    status: state.status,
    background: false,
    ...(conversation && { conversation: { id: conversation } }),
    error: null,
    incomplete_details: state.reason === null ? null : { reason: state.reason },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: text.format ?? { type: 'text' }, verbosity: text.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: Array.isArray(body.tools) ? body.tools.map(toolOf) : [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    ...(usage && { usage: usageOf(usage) }),
    ...(typeof body.user === 'string' && { user: body.user }),
    metadata: body.metadata ?? {},
  };
}

/** A function is repeated with what it has when nothing is said. */
function toolOf(tool: unknown): unknown {
  return isRecord(tool) && tool.type === 'function' ? { parameters: null, strict: false, ...tool } : tool;
}

export function usageOf(usage: TokenUsage): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}
