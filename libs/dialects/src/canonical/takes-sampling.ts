import type { UpstreamTarget } from '../provider-dialect';

/**
 * OpenAI's models that do not reason unasked, whoever sells them:
 * https://github.com/BerriAI/litellm-docs/pull/1064 (5.1 and 5.2, by a trial)
 * https://github.com/langchain-ai/langchain/issues/35423 https://replicate.com/openai/gpt-5.4
 */
const restUnasked = /(?:^|[./])gpt-5\.[1-4](?!\d|.*-(?:chat|codex|pro))/;

/**
 * Whether a model can be sampled otherwise than by default where it is asked with this effort, in OpenAI's
 * words. Those that reason can not while they do.
 * https://developers.openai.com/api/docs/guides/deployment-checklist
 */
export function takesSampling(
  { model, upstreamModel }: Pick<UpstreamTarget, 'model' | 'upstreamModel'>,
  effort: unknown,
): boolean {
  if (model.capabilities.temperature || effort === 'none') return true;
  return (effort ?? null) === null && (restUnasked.test(upstreamModel) || restUnasked.test(model.id));
}

/** The fields of OpenAI's two dialects that a model refuses where it is asked with this effort. */
export function samplingRefused(target: Pick<UpstreamTarget, 'model' | 'upstreamModel'>, effort: unknown): string[] {
  return takesSampling(target, effort) ? [] : ['temperature', 'top_p'];
}
