import type { CanonicalRequest, ReasoningSetting } from '../canonical/generation-request';
import { effortOf, budgetOf } from '../canonical/reasoning-effort';
import type { UpstreamTarget } from '../provider-dialect';
import type { ContentWriter, Block } from './content-writer';
import { modelFamily } from './model-family';
import { factsOf, type ModelFacts } from '../anthropic-messages/model-facts';
import { toEffort } from '../anthropic-messages/to-effort';

/**
 * The request fields by which a family of models is told how much to reason; none where there is nothing to
 * say. What cannot be told is warned of.
 */
export function toReasoningFields(request: CanonicalRequest, target: UpstreamTarget, writer: ContentWriter): Thinking {
  const family = modelFamily(target);
  if (family === 'claude') return claudeThinking(request, target, writer);
  return { fields: namedFields(request.reasoning ?? {}, family, target, writer), thinks: false };
}

function namedFields(
  setting: ReasoningSetting,
  family: 'nova' | 'openai' | 'other',
  target: UpstreamTarget,
  writer: ContentWriter,
): Thinking['fields'] {
  const effort = namedEffort(setting);
  if (effort === null) return {};
  switch (family) {
    case 'nova':
      // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
      return { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } };
    case 'openai':
      // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
      return { reasoning_effort: effort };
    case 'other':
      writer.warn(`reasoning was dropped: ${target.model.id} has no setting for it`);
      return {};
  }
}

/** The levels that Nova and gpt-oss know; null where no reasoning was asked for. */
function namedEffort({ effort, budgetTokens, off, adaptive }: ReasoningSetting): 'low' | 'medium' | 'high' | null {
  if (off === true || effort === 'none') return null;
  const level = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
  if (level === undefined) return adaptive === true ? 'medium' : null;
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}

/** Fields for the model, and whether it will think, which forbids some sampling. */
interface Thinking {
  fields: Block;
  thinks: boolean;
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html */
const leastBudget = 1_024;

/**
 * How a wish for reasoning is put to Claude: these fields are Anthropic's own and travel beside those of
 * Converse.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html
 */
function claudeThinking(request: CanonicalRequest, target: UpstreamTarget, writer: ContentWriter): Thinking {
  const facts = factsOf(target);
  const setting = request.reasoning ?? {};
  const asked = asksToThink(setting, request, facts);
  if (facts.thinking === 'none') {
    if (asked) writer.warn('reasoning was dropped: this model does not reason');
    return { fields: {}, thinks: false };
  }
  const isForced = request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool';
  // Sources disagree on newer models. Anthropic's own guide says that force requires thinking off at Bedrock:
  // https://github.com/anthropics/skills (skills/claude-api, July 2026).
  // A trial there took both: https://github.com/langchain-ai/langchain-aws/pull/1141. Off suits both; a model
  // that always thinks keeps both.
  if (isForced && facts.off !== 'never') {
    if (asked) writer.warn('reasoning was turned off: this model cannot reason where it must call a tool');
    return turnedOff(facts, writer);
  }
  if (setting.off === true || setting.effort === 'none') return turnedOff(facts, writer);
  const effort = effortField(setting, facts, writer);
  if (!asked) return { fields: effort, thinks: facts.thinksUnasked };
  if (facts.thinking === 'adaptive' || (facts.thinking === 'either' && setting.budgetTokens === undefined)) {
    return { fields: { thinking: { type: 'adaptive' }, ...effort }, thinks: true };
  }
  return withBudget(request, setting, target, writer);
}

/**
 * A caller of Anthropic's own dialect asks for effort and for thinking apart; elsewhere effort means both.
 */
function asksToThink(
  { adaptive, budgetTokens, effort }: ReasoningSetting,
  { surface }: CanonicalRequest,
  facts: ModelFacts,
): boolean {
  if (adaptive === true || budgetTokens !== undefined) return true;
  return effort !== undefined && effort !== 'none' && (surface !== 'anthropic-messages' || facts.efforts.length === 0);
}

/** Models that think only when asked are told nothing: some refuse to be told. */
function turnedOff(facts: ModelFacts, writer: ContentWriter): Thinking {
  if (facts.off !== 'never')
    return { fields: facts.thinksUnasked ? { thinking: { type: facts.off } } : {}, thinks: false };
  writer.warn('reasoning stayed on: this model always reasons');
  return { fields: {}, thinks: true };
}

/** Models that decide themselves how much to think are told an effort, also for a budget. */
function effortField({ effort, budgetTokens }: ReasoningSetting, facts: ModelFacts, writer: ContentWriter): Block {
  if (facts.thinking === 'budget') return {};
  const warnings: string[] = [];
  if (effort !== undefined && effort !== 'none') {
    const level = toEffort(effort, facts, warnings);
    for (const warning of warnings) writer.warn(warning);
    return level === undefined ? {} : { output_config: { effort: level } };
  }
  if (budgetTokens === undefined || facts.thinking !== 'adaptive') return {};
  const level = effortOf(budgetTokens);
  writer.warn(`the reasoning budget became effort '${level}': this model takes no budget`);
  return { output_config: { effort: level } };
}

function withBudget(
  request: CanonicalRequest,
  { budgetTokens, effort }: ReasoningSetting,
  target: UpstreamTarget,
  writer: ContentWriter,
): Thinking {
  const limit = request.maxOutputTokens ?? target.model.maxOutputTokens ?? Infinity;
  const problem = budgetProblem(request, limit);
  if (problem !== null) {
    writer.warn(`reasoning was turned off: ${problem}`);
    return { fields: {}, thinks: false };
  }
  // What stands for an effort leaves half of the limit to the answer.
  const wanted =
    budgetTokens ??
    Math.min(budgetOf(effort === undefined || effort === 'none' ? 'medium' : effort), Math.floor(limit / 2));
  const budget = Math.max(leastBudget, Math.min(wanted, limit - 1));
  if (budgetTokens !== undefined && budget !== budgetTokens) {
    writer.warn(
      `the reasoning budget of ${budgetTokens} tokens became ${budget}: it must be at least ${leastBudget} and less than the output limit`,
    );
  }
  return { fields: { thinking: { type: 'enabled', budget_tokens: budget } }, thinks: true };
}

/** Why the model could not think with a budget; null when it can. */
function budgetProblem(request: CanonicalRequest, limit: number): string | null {
  if (limit <= leastBudget) return `it needs more than ${leastBudget} output tokens`;
  return answersUnsealedCalls(request)
    ? 'the tool calls being answered came without the signed reasoning that led to them'
    : null;
}

/**
 * A turn that goes on after tool calls must begin with the thinking that led to them, which not every caller
 * sends back.
 */
function answersUnsealedCalls({ messages }: CanonicalRequest): boolean {
  const calledAt = messages.findLastIndex(({ role }) => role === 'assistant');
  const calling = messages[calledAt];
  if (!calling?.parts.some(({ type }) => type === 'tool-call')) return false;
  const isAnswered = messages.slice(calledAt).some(({ role }) => role === 'tool');
  return (
    isAnswered && !calling.parts.some((part) => part.type === 'reasoning' && part.seal?.dialect === 'bedrock-converse')
  );
}
