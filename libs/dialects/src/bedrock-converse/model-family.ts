import type { UpstreamTarget } from '../provider-dialect';

/**
 * Who made a model: Converse is one format, but what a model takes beyond its base fields differs by family.
 */
export type ModelFamily = 'claude' | 'nova' | 'openai' | 'other';

/**
 * Model ids, inference profiles (`us.anthropic.…`) and their ARNs name the maker. The public id decides where
 * an ARN of an application's own profile does not.
 */
export function modelFamily({ upstreamModel, model }: Pick<UpstreamTarget, 'upstreamModel' | 'model'>): ModelFamily {
  const name = `${upstreamModel} ${model.id}`.toLowerCase();
  if (/anthropic|claude/.test(name)) return 'claude';
  if (name.includes('nova')) return 'nova';
  if (/openai|gpt-/.test(name)) return 'openai';
  return 'other';
}
