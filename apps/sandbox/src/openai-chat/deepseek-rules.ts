import { memberOf } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

const details = { code: 'invalid_request_error' };

/** Reasoning counts into it. https://github.com/MoonshotAI/kimi-code/issues/2656 */
const mostTokens = 393_216;

/**
 * What DeepSeek refuses in chat completions, in its words. `thinks`: the model does, which it does unless it
 * is told not to.
 * @throws Refusal
 */
export function checkDeepseek(body: Record<string, unknown>, thinks: boolean): void {
  const { max_tokens: limit, response_format: format, tool_choice: choice } = body;
  demand(
    typeof limit !== 'number' || limit <= mostTokens,
    `Invalid max_tokens value, the valid range of max_tokens is [1, ${mostTokens}]`,
    details,
  );
  // https://api-docs.deepseek.com/guides/json_mode https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916
  demand(
    memberOf({ format }, 'format').type !== 'json_schema',
    'This response_format type is unavailable now',
    details,
  );
  // https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
  const isForced = choice === 'required' || isRecord(choice);
  demand(!isForced || !thinks, 'Thinking mode does not support this tool_choice', details);
}
