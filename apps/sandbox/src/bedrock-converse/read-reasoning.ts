import { checkInputSchema } from '../anthropic-messages/check-input-schema';
import { checkModelRules, takesOneSampling } from '../anthropic-messages/model-rules';
import { limitIn, memberOf, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand, Refusal } from '../request/refusal';

/** Above this the address itself refuses; what the model writes is less. */
const mostTokens = 200_000;

const prefix = 'The model returned the following errors: ';

/**
 * Claude refuses here what it refuses at its maker's. https://github.com/openclaw/openclaw/issues/73663
 * https://github.com/vercel/ai/issues/21364 Sources disagree on force beside adaptive thinking. Anthropic's
 * guide says that Bedrock refuses it: https://github.com/anthropics/skills (claude-api).
 * It is taken here, as in the trial of https://github.com/langchain-ai/langchain-aws/pull/1141. @throws
 * Refusal
 */
function checkClaude(body: Record<string, unknown>, model: string): void {
  const [choice] = Object.keys(memberOf(memberOf(body, 'toolConfig'), 'toolChoice'));
  const { temperature, topP, maxTokens, stopSequences: stops } = memberOf(body, 'inferenceConfig');
  const { thinking, output_config, top_k } = memberOf(body, 'additionalModelRequestFields');
  // https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/204
  demand(
    typeof maxTokens !== 'number' || maxTokens <= mostTokens || !/claude-[a-z]+-4-5/.test(model),
    `${prefix}The maximum tokens you requested exceeds the model limit of ${mostTokens}. Try again with a maximum tokens value that is lower than ${mostTokens}.`,
  );
  // https://github.com/aws-samples/bedrock-access-gateway/pull/238 https://github.com/mem0ai/mem0/issues/3891
  demand(
    temperature === undefined || topP === undefined || !takesOneSampling(model),
    `${prefix}\`temperature\` and \`top_p\` cannot both be specified for this model. Please use only one.`,
  );
  demand(
    !Array.isArray(stops) || stops.every((stop) => textIn(stop).trim() !== ''),
    `${prefix}stop_sequences: each stop sequence must contain non-whitespace`,
  );
  // https://github.com/aws/aws-sdk-net/pull/4015
  demand(
    !/\s$/.test(lastWords(body)),
    `${prefix}messages: final assistant content cannot end with trailing whitespace`,
  );
  if (/claude/.test(model)) checkSystem(body);
  try {
    if (/claude/.test(model)) checkSchemas(body);
    checkModelRules({ thinking, output_config, top_k, temperature, top_p: topP, tool_choice: { type: choice } }, model);
  } catch (refused) {
    throw refused instanceof Refusal ? new Refusal(prefix + refused.message, refused.details) : refused;
  }
}

/** What Claude Code tells Anthropic. https://github.com/anthropics/claude-code/issues/24168 */
function checkSystem({ system }: Record<string, unknown>): void {
  const reserved = 'x-anthropic-billing-header';
  demand(
    !optionalObjects(system, 'system').some(({ text }) => textIn(text).startsWith(reserved)),
    `${reserved} is a reserved keyword and may not be used in the system prompt.`,
  );
}

function checkSchemas(body: Record<string, unknown>): void {
  const tools = optionalObjects(memberOf(body, 'toolConfig').tools, 'toolConfig.tools');
  for (const [index, tool] of tools.entries()) {
    const { json } = memberOf(memberOf(tool, 'toolSpec'), 'inputSchema');
    if (isRecord(json)) checkInputSchema(json, `tools.${index}.custom`);
  }
}

/** What the assistant said last, where the conversation ends with it. */
function lastWords({ messages }: Record<string, unknown>): string {
  const last = optionalObjects(messages, 'messages').at(-1);
  if (last?.role !== 'assistant') return '';
  return textIn(optionalObjects(last.content, 'content').at(-1)?.text);
}

/**
 * Whether Claude is given a budget to think in: then a turn that goes on after calls must begin with the
 * thoughts that led to them, which adaptive thinking does not ask for.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
export function thinksByBudget(body: Record<string, unknown>): boolean {
  return thinkingOf(body).type === 'enabled';
}

function thinkingOf(body: Record<string, unknown>): Record<string, unknown> {
  const fields = memberOf(body, 'additionalModelRequestFields');
  return isRecord(fields.thinking) ? fields.thinking : memberOf(fields, 'reasoning_config');
}

/**
 * Whether the model is asked to think, in the words of its maker.
 * @throws Refusal for what Claude does not take beside.
 */
export function readReasoning(body: Record<string, unknown>, model: string, maxTokens: number | null): boolean {
  const fields = memberOf(body, 'additionalModelRequestFields');
  checkClaude(body, model);
  // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
  const isOther = memberOf(fields, 'reasoningConfig').type === 'enabled' || typeof fields.reasoning_effort === 'string';
  const thinking = thinkingOf(body);
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
  const [choice] = Object.keys(memberOf(memberOf(body, 'toolConfig'), 'toolChoice'));
  demand(
    choice === undefined || choice === 'auto' || thinking.type === 'adaptive',
    `${prefix}Thinking may not be enabled when tool_choice forces tool use.`,
  );
  return true;
}
