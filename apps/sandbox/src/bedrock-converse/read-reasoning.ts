import { limitIn, memberOf } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

const prefix = 'The model returned the following errors: ';

/** Whether the model is asked to think, in the words of its maker. @throws Refusal for what Claude does not take beside. */
export function readReasoning(body: Record<string, unknown>, model: string, maxTokens: number | null): boolean {
  const fields = memberOf(body, 'additionalModelRequestFields');
  // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
  const isOther = memberOf(fields, 'reasoningConfig').type === 'enabled' || typeof fields.reasoning_effort === 'string';
  const thinking = isRecord(fields.thinking) ? fields.thinking : memberOf(fields, 'reasoning_config');
  if (thinking.type !== 'enabled' && thinking.type !== 'adaptive') return isOther;
  demand(/anthropic|claude/.test(model), `${prefix}extraneous key [thinking] is not permitted`);
  if (thinking.type === 'enabled') {
    const budget = limitIn(thinking.budget_tokens, 'thinking.enabled.budget_tokens');
    demand(
      budget !== null && budget >= 1_024,
      `${prefix}thinking.enabled.budget_tokens: Input should be greater than or equal to 1024`,
    );
    demand(
      maxTokens === null || budget < maxTokens,
      `${prefix}\`max_tokens\` must be greater than \`thinking.budget_tokens\`.`,
    );
  }
  const { temperature, topP } = memberOf(body, 'inferenceConfig');
  demand(
    temperature === undefined || temperature === 1,
    `${prefix}\`temperature\` may only be set to 1 when thinking is enabled.`,
  );
  demand(
    topP === undefined || (typeof topP === 'number' && topP >= 0.95),
    `${prefix}\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled.`,
  );
  const { auto, ...forced } = memberOf(memberOf(body, 'toolConfig'), 'toolChoice');
  demand(
    auto !== undefined || Object.keys(forced).length === 0,
    `${prefix}Thinking may not be enabled when tool_choice forces tool use.`,
  );
  return true;
}
