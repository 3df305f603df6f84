import type { UpstreamTarget } from '../provider-dialect';
import type { ReasoningSetting } from './generation-request';

type AnyEffort = NonNullable<ReasoningSetting['effort']>;

/** Every name of an effort, ascending. */
const order: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] satisfies AnyEffort[];

/**
 * Reasoning tokens for a named effort, for models that know budgets only. Our own scale: `low` twice the
 * least that Anthropic allows, each level doubled or quadrupled, `high` and beyond near the sizes from which
 * its documentation advises batch processing.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
const budgets: Record<Exclude<AnyEffort, 'none'>, number> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** The budget that stands for an effort. */
export function budgetOf(effort: Exclude<AnyEffort, 'none'>): number {
  return budgets[effort];
}

/**
 * The effort that stands for a budget, for models that know efforts only: the highest whose own budget it
 * pays for.
 */
export function effortOf(budgetTokens: number): 'low' | 'medium' | 'high' {
  if (budgetTokens < budgets.medium) return 'low';
  return budgetTokens < budgets.high ? 'medium' : 'high';
}

/**
 * What a model of OpenAI's dialects is told for a caller's wish: the effort itself where the model takes it,
 * or where nobody knows what it takes; else the next lower that is left, or its lowest. Some always reason,
 * and refuse `none` and `minimal`: https://developers.openai.com/api/docs/models/gpt-6.2-sol How much to
 * think is left to a model by naming nothing; one that may be without thoughts, and is by default
 * (https://developers.openai.com/api/docs/guides/latest-model), is named a middle effort for that.
 * `warnings` hears of every change. Undefined: there is nothing to name.
 */
export function toNamedEffort(
  setting: ReasoningSetting,
  { model: { capabilities, reasoningEfforts: known }, provider }: UpstreamTarget,
  warnings: string[],
  whoTakesNoBudget: string,
): string | undefined {
  const wished = wishOf(setting, known);
  // Of a server of the operator's own it need not be declared that its model reasons.
  if (!capabilities.reasoning && !provider.operatorDefined) {
    if (setting.adaptive === true || (wished !== undefined && wished !== 'none'))
      warnings.push('reasoning was dropped: this model does not reason');
    return undefined;
  }
  if (wished === undefined) return undefined;
  const taken = nearest(wished, known);
  const { effort, budgetTokens, off } = setting;
  if (off !== true && effort === undefined && budgetTokens !== undefined)
    warnings.push(`the reasoning budget became effort '${taken}': ${whoTakesNoBudget} take no budget`);
  else if (wished === 'none' && taken !== 'none')
    warnings.push(
      `reasoning stayed on${taken === undefined ? '' : `, with effort '${taken}'`}: this model always reasons`,
    );
  else if (effort !== undefined && wished !== taken)
    warnings.push(
      taken === undefined
        ? `reasoning effort '${wished}' was dropped: this model knows none`
        : `reasoning effort '${wished}' became '${taken}': this model knows ${known?.join(', ')}`,
    );
  return taken;
}

function wishOf(
  { effort, budgetTokens, off, adaptive }: ReasoningSetting,
  known: readonly string[] | undefined,
): AnyEffort | undefined {
  if (off === true) return 'none';
  if (effort !== undefined) return effort;
  if (budgetTokens !== undefined) return effortOf(budgetTokens);
  return adaptive === true && known?.includes('none') ? 'medium' : undefined;
}

/** Undefined: the model has no efforts. */
function nearest(wished: AnyEffort, known: readonly string[] | undefined): string | undefined {
  if (known === undefined || known.includes(wished)) return wished;
  const levels = known.filter((level) => level !== 'none');
  const rank = order.indexOf(wished);
  return levels.findLast((level) => order.includes(level) && order.indexOf(level) <= rank) ?? levels[0];
}
