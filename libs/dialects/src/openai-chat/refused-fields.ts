import { samplingRefused } from '../canonical/takes-sampling';
import { holdsFor, type UpstreamTarget } from '../provider-dialect';

/** The fields of chat completions that a provider refuses of this model, asked with this effort. */
export function refusedFields(
  target: Pick<UpstreamTarget, 'provider' | 'model' | 'upstreamModel'>,
  effort?: unknown,
): string[] {
  const { quirks } = target.provider;
  return [
    ...quirks.dropFields,
    ...(target.model.capabilities.reasoning ? quirks.reasonersRefuse : []),
    ...(holdsFor(quirks.refusesStop, target) ? ['stop'] : []),
    ...samplingRefused(target, effort),
  ];
}
