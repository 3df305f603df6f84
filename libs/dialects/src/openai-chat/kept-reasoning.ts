import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import type { UpstreamTarget } from '../provider-dialect';
import { textIn } from '../wire/json-value';

type Quirks = ProviderDefinition['quirks'];

/**
 * What becomes of the reasoning of earlier turns. `insists`: the model refuses a turn without any. `refused`:
 * fields of messages that do not go to it.
 */
export interface KeptReasoning {
  field: Quirks['reasoningField'];
  insists: boolean;
  refused: readonly string[];
}

/** A model that insists on its reasoning takes it as at its maker's, whatever else its provider takes. */
export function keptReasoning({ provider, model, upstreamModel }: UpstreamTarget): KeptReasoning {
  const { reasoningField, insistsOnReasoning, dropMessageFields } = provider.quirks;
  const names = `${upstreamModel} ${model.id}`.toLowerCase();
  if (!model.capabilities.reasoning || !insistsOnReasoning.some((part) => names.includes(part)))
    return { field: reasoningField, insists: false, refused: dropMessageFields };
  return {
    field: 'reasoning_content',
    insists: true,
    refused: dropMessageFields.filter((name) => name !== 'reasoning_content'),
  };
}

/** Whether one of the details of thoughts, as OpenRouter has them, holds what its provider sealed. */
export function isSealed(detail: unknown): boolean {
  return ['signature', 'data'].some((name) => (textIn(detail, name) ?? '') !== '');
}

/** What a caller reads of thoughts that came back without what they led to, as cancelled answers leave them. */
export function idleThoughtsWarning({ provider }: Pick<UpstreamTarget, 'provider'>): string {
  return `reasoning that led to nothing was dropped: ${provider.name} takes it only with what came of it`;
}
