import { z } from 'zod/mini';
import { SelectField } from '../design/field';
import { SuggestField } from '../design/suggest-field';
import { useCatalog } from '../api/catalog';
import type { ComponentProps } from 'react';

/** What happens at the limit, as the dialogs offer it. */
const choices = {
  refuse: 'Refuse the request',
  warn: 'Serve it, and warn',
  fall: 'Let another model serve it, and say so',
} as const;

export const atLimitShape = {
  atLimit: z.enum(['refuse', 'warn', 'fall']),
  fallbackModel: z.string(),
};
type AtLimitValues = z.infer<z.ZodMiniObject<typeof atLimitShape>>;

/** What is chosen for a budget that exists. */
export const atLimitOf = ({ soft, fallbackModel }: { soft: boolean; fallbackModel: string | null }): AtLimitValues => ({
  atLimit: !soft ? 'refuse' : fallbackModel === null ? 'warn' : 'fall',
  fallbackModel: fallbackModel ?? '',
});

/** What is chosen, as the gateway takes it. */
export const exceedingFrom = ({ atLimit, fallbackModel }: AtLimitValues) => ({
  soft: atLimit !== 'refuse',
  fallbackModel: atLimit === 'fall' ? fallbackModel.trim() : null,
});

/** Whether a model is missing. */
export const lacksModel = ({ atLimit, fallbackModel }: AtLimitValues): boolean =>
  atLimit === 'fall' && fallbackModel.trim() === '';

export function AtLimitFields({
  falls,
  atLimit,
  model,
  error,
}: {
  /** Another model is to serve. */
  falls: boolean;
  atLimit: Omit<ComponentProps<'select'>, 'children'>;
  model: ComponentProps<'input'>;
  error: string | undefined;
}) {
  const models = useCatalog().data?.models ?? [];
  return (
    <>
      <SelectField label="When a request may cost more than is left" {...atLimit}>
        {Object.entries(choices).map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </SelectField>
      {falls && (
        <SuggestField
          label="Model that serves then"
          placeholder="openai/gpt-5.4-nano"
          suggestions={models.map(({ id }) => id)}
          error={error}
          {...model}
        />
      )}
    </>
  );
}
