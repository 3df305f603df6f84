import type { UpstreamTarget } from '../provider-dialect';

/**
 * The fields of chat completions that a provider refuses of this model, asked with this effort. Models
 * that are sampled by default alone take those of sampling where they do not reason.
 * https://developers.openai.com/api/docs/guides/deployment-checklist
 */
export function refusedFields(
  { provider: { quirks }, model }: Pick<UpstreamTarget, 'provider' | 'model'>,
  effort?: unknown,
): string[] {
  const { reasoning, temperature } = model.capabilities;
  return [
    ...quirks.dropFields,
    ...(reasoning ? quirks.reasonersRefuse : []),
    ...(temperature || effort === 'none' ? [] : ['temperature', 'top_p']),
  ];
}
