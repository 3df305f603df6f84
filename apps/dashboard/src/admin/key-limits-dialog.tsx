import { z } from 'zod/mini';
import { changeKeyLimits } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { useAction } from '../api/use-action';
import { SelectField, TextArea } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useZodForm } from '../design/use-zod-form';
import { loggingText } from '../keys/logging-text';
import { modelsFrom } from '../keys/models-from';
import { useSession } from '../session/session';
import { limitFields, limitFieldsOf, limitFrom } from './limit-choice';
import { LimitField, ModelLimitsField } from './limit-field';
import { modelLimitsField, modelLimitsFrom, modelLimitsText } from './model-limits';
import { PlanField } from './plan-field';
import { usePlans } from '../api/plans';

const shape = z.object({
  plan: z.string(),
  rpm: limitFields,
  tpm: limitFields,
  quotaTokens: limitFields,
  models: z.string(),
  modelLimits: modelLimitsField,
  logging: z.string(),
});

const limits = [
  ['rpm', 'Requests per minute'],
  ['tpm', 'Tokens per minute'],
  ['quotaTokens', 'Tokens per month'],
] as const;

/** Only what was changed is sent, so that the rest goes on following the plan. */
export function KeyLimitsDialog({
  apiKey,
  onClose,
  onDone,
}: {
  apiKey: AdminKey;
  onClose: () => void;
  onDone: () => void;
}) {
  const { contentLog } = useSession().me.features;
  const before = apiKey.ownLimits ?? apiKey;
  const form = useZodForm(shape, {
    plan: apiKey.plan,
    rpm: limitFieldsOf(before.rpm),
    tpm: limitFieldsOf(before.tpm),
    quotaTokens: limitFieldsOf(before.quotaTokens),
    models: apiKey.models.join(', '),
    modelLimits: modelLimitsText(apiKey.ownLimits?.modelLimits ?? apiKey.modelLimits),
    logging: apiKey.logContent ? 'on' : 'off',
  });
  const { dirtyFields, errors } = form.formState;
  const chosen = form.watch();
  const plan = usePlans().find(({ name }) => name === chosen.plan);
  const action = useAction(async (values: z.infer<typeof shape>) => {
    await changeKeyLimits(apiKey.id, {
      ...(dirtyFields.plan && { plan: values.plan }),
      ...(limitFrom(values.rpm) !== before.rpm && { rpm: limitFrom(values.rpm) }),
      ...(limitFrom(values.tpm) !== before.tpm && { tpm: limitFrom(values.tpm) }),
      ...(limitFrom(values.quotaTokens) !== before.quotaTokens && { quotaTokens: limitFrom(values.quotaTokens) }),
      ...(dirtyFields.logging && { logContent: values.logging === 'on' }),
      ...(dirtyFields.models && { models: modelsFrom(values.models) }),
      ...(dirtyFields.modelLimits && { modelLimits: modelLimitsFrom(values.modelLimits) ?? [] }),
    });
    onDone();
    onClose();
  });
  return (
    <FormDialog
      title={`Limits of "${apiKey.name}"`}
      description="They take hold within a second."
      act="Save the limits"
      disabled={!form.formState.isDirty}
      {...sending(form, action)}
      onClose={onClose}
    >
      <PlanField
        current={apiKey.plan}
        hint="Limits that are not this key's own come from it."
        {...form.register('plan')}
      />
      {limits.map(([name, label]) => (
        <LimitField
          key={name}
          label={label}
          ofPlan={plan?.[name]}
          isOwn={chosen[name].choice === 'own'}
          choice={form.register(`${name}.choice`)}
          own={form.register(`${name}.own`)}
          error={errors[name]?.own?.message}
        />
      ))}
      <TextArea
        label="Allowed models"
        optional
        code
        rows={2}
        hint="Ids separated by commas; * stands for anything. Empty allows every model."
        {...form.register('models')}
      />
      <ModelLimitsField error={errors.modelLimits?.message} {...form.register('modelLimits')} />
      <SelectField label="Requests and answers" hint={loggingText(contentLog)} {...form.register('logging')}>
        <option value="off">Keep nothing</option>
        <option value="on">Log them</option>
      </SelectField>
    </FormDialog>
  );
}
