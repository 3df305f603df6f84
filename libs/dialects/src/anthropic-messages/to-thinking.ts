import type { CanonicalRequest, ReasoningSetting } from '../canonical/generation-request';
import type { Effort, ModelFacts } from './model-facts';
import { budgetOf, effortOf } from '../canonical/reasoning-effort';
import { toEffort } from './to-effort';

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const leastBudget = 1_024;

/** What the rules of thinking depend on beside the request. `forcesTool`: the model must call a tool. */
interface Circumstances {
  facts: ModelFacts;
  maxTokens: number;
  forcesTool: boolean;
  warnings: string[];
}

/** Members for the wire, and whether the model will think, which forbids some sampling. */
export interface Thinking {
  thinking?: Record<string, unknown>;
  effort?: Effort;
  thinks: boolean;
}

/**
 * How a request's wish for reasoning is put to the model.
 * https://platform.claude.com/docs/en/build-with-claude/thinking
 */
export function toThinking(request: CanonicalRequest, circumstances: Circumstances): Thinking {
  const { facts, forcesTool, warnings } = circumstances;
  const setting = request.reasoning ?? {};
  if (facts.thinking === 'none') {
    if (wants(setting)) warnings.push('reasoning was dropped: this model does not reason');
    return { thinks: false };
  }
  const effort = levelOf(setting, circumstances);
  if (setting.off === true || setting.effort === 'none') return turnedOff(facts, effort, warnings);
  // A forced tool excludes thinking with a budget, and adaptive thinking up to Opus 4.7:
  // https://github.com/langchain-ai/langchain-aws/pull/1151
  if (forcesTool && !facts.thinksWhereForced) {
    if (asksToThink(setting, request, facts))
      warnings.push('reasoning was turned off: this model cannot reason where it must call a tool');
    return { thinks: false, ...(effort && { effort }) };
  }
  if (!asksToThink(setting, request, facts)) return { thinks: facts.thinksUnasked, ...(effort && { effort }) };
  const thinking = thinkingMember(setting, request, circumstances);
  return { ...(thinking && { thinking }), thinks: thinking !== null, ...(effort && { effort }) };
}

function wants({ adaptive, budgetTokens, effort }: ReasoningSetting): boolean {
  return adaptive === true || budgetTokens !== undefined || (effort !== undefined && effort !== 'none');
}

/**
 * This dialect asks for effort and for thinking apart, so a caller who speaks it and names an effort alone
 * did not ask for thinking. Elsewhere effort means both.
 */
function asksToThink(setting: ReasoningSetting, { surface }: CanonicalRequest, facts: ModelFacts): boolean {
  if (setting.adaptive === true || setting.budgetTokens !== undefined) return true;
  return wants(setting) && (surface !== 'anthropic-messages' || facts.efforts.length === 0);
}

function levelOf(setting: ReasoningSetting, { facts, warnings }: Circumstances): Effort | undefined {
  const { effort, budgetTokens } = setting;
  if (effort !== undefined) return effort === 'none' ? undefined : toEffort(effort, facts, warnings);
  if (budgetTokens === undefined || facts.thinking !== 'adaptive') return undefined;
  const level = effortOf(budgetTokens);
  warnings.push(`the reasoning budget became effort '${level}': this model takes no budget`);
  return level;
}

/**
 * Models that think unasked do not take more than effort `high` without:
 * https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5
 */
function turnedOff(facts: ModelFacts, effort: Effort | undefined, warnings: string[]): Thinking {
  if (facts.off === 'never') {
    warnings.push('reasoning stayed on: this model always reasons');
    return { thinks: true, ...(effort && { effort }) };
  }
  const isTooMuch = facts.thinksUnasked && (effort === 'xhigh' || effort === 'max');
  if (isTooMuch)
    warnings.push(`reasoning effort '${effort}' became 'high': without reasoning this model takes no more`);
  const taken = isTooMuch ? 'high' : effort;
  return { thinking: { type: facts.off }, thinks: false, ...(taken && { effort: taken }) };
}

/** Null: it had to be left out, and `warnings` says why. */
function thinkingMember(
  setting: ReasoningSetting,
  request: CanonicalRequest,
  { facts, maxTokens, warnings }: Circumstances,
): Record<string, unknown> | null {
  const display =
    setting.summary === undefined ? {} : { display: setting.summary === 'none' ? 'omitted' : 'summarized' };
  const takesAdaptive = facts.thinking === 'adaptive' || facts.thinking === 'either';
  if (takesAdaptive && (facts.thinking === 'adaptive' || setting.budgetTokens === undefined))
    return { type: 'adaptive', ...display };
  const problem = budgetProblem(request, maxTokens);
  if (problem !== null) {
    warnings.push(`reasoning was turned off: ${problem}`);
    return null;
  }
  return { type: 'enabled', budget_tokens: budget(setting, maxTokens, warnings), ...display };
}

/** Why the model could not think with a budget; null when it can. */
function budgetProblem(request: CanonicalRequest, maxTokens: number): string | null {
  if (maxTokens <= leastBudget) return `it needs more than ${leastBudget} output tokens`;
  return answersUnsealedCalls(request)
    ? 'the tool calls being answered came without the signed reasoning that led to them'
    : null;
}

/**
 * A turn that goes on after tool calls must begin with the thinking that led to them, which callers of other
 * dialects often do not send back. Callers of this one know the rule.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
function answersUnsealedCalls({ surface, messages }: CanonicalRequest): boolean {
  const calledAt = messages.findLastIndex(({ role }) => role === 'assistant');
  const calling = messages[calledAt];
  if (surface === 'anthropic-messages' || !calling?.parts.some(({ type }) => type === 'tool-call')) return false;
  const isAnswered = messages.slice(calledAt).some(({ role }) => role === 'tool');
  return (
    isAnswered &&
    !calling.parts.some((part) => part.type === 'reasoning' && part.seal?.dialect === 'anthropic-messages')
  );
}

/**
 * At least 1,024 and less than the output limit; what stands for an effort leaves half of that to the answer.
 */
function budget({ budgetTokens, effort }: ReasoningSetting, maxTokens: number, warnings: string[]): number {
  if (budgetTokens === undefined) {
    const wished = budgetOf(effort === undefined || effort === 'none' ? 'medium' : effort);
    return Math.max(leastBudget, Math.min(wished, Math.floor(maxTokens / 2)));
  }
  const bounded = Math.max(leastBudget, Math.min(budgetTokens, maxTokens - 1));
  if (bounded !== budgetTokens)
    warnings.push(
      `the reasoning budget of ${budgetTokens} tokens became ${bounded}: it must be at least ${leastBudget} and less than the output limit`,
    );
  return bounded;
}
