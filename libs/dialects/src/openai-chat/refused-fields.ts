import type { UpstreamTarget } from '../provider-dialect';

/** The fields of chat completions that a provider refuses of this model. */
export function refusedFields({ provider: { quirks }, model }: Pick<UpstreamTarget, 'provider' | 'model'>): string[] {
  return [...quirks.dropFields, ...(model.capabilities.reasoning ? quirks.reasonersRefuse : [])];
}
