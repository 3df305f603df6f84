import { useQuery } from '@tanstack/react-query';
import type { Plan } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { fetchPlanSettings, setPlan, type PlanLimits } from '../api/plans';
import { useAction } from '../api/use-action';
import { Dialog } from '../design/dialog';
import { TextField } from '../design/field';
import { DialogForm, sending } from '../design/form-dialog';
import { Loaded } from '../design/states';
import { useZodForm } from '../design/use-zod-form';
import { limitFieldsOf, limitFrom, type LimitFields, planFields, type PlanFields } from './limit-choice';
import { LimitField, ModelLimitsField } from './limit-field';
import { modelLimitsFrom, modelLimitsText } from './model-limits';

const limits = [
  ['rpm', 'Requests per minute'],
  ['tpm', 'Tokens per minute'],
  ['quotaTokens', 'Tokens per month'],
  ['concurrency', 'Generations at once'],
] as const;

/**
 * Sets a plan as a whole, from what the settings say when it opens. `plan` null: a new one, which has the
 * name of none that there is.
 */
export function PlanDialog({
  plan,
  existing,
  onClose,
  onDone,
}: {
  plan: Plan | null;
  existing: readonly Plan[];
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const settings = useQuery({ queryKey: ['plans of the settings'], queryFn: fetchPlanSettings, gcTime: 0 });
  return (
    <Dialog
      open
      onClose={onClose}
      title={plan ? `Limits of the plan "${plan.name}"` : 'Add a plan'}
      description="For each of its keys. They follow within seconds."
    >
      <Loaded query={settings} lines={6}>
        {({ version, plans }) => (
          <PlanForm
            name={plan?.name ?? null}
            taken={[...existing.map(({ name }) => name), ...Object.keys(plans)]}
            limits={(plan && plans[plan.name]) ?? plan}
            version={version}
            onClose={onClose}
            onDone={onDone}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

/** `name` null: a new one, with a name that is not `taken`. `version`: of the settings that `limits` are of. */
function PlanForm({
  name: known,
  taken,
  limits: before,
  version,
  onClose,
  onDone,
}: {
  name: string | null;
  taken: readonly string[];
  limits: PlanLimits | null;
  version: number;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  // What is typed is not made from what is looked up again meanwhile.
  const [from] = useState(version);
  const fieldsOf = (limit: number | null | undefined) =>
    limit === undefined ? ({ choice: 'own', own: '' } as const) : limitFieldsOf(limit);
  const form = useZodForm(planFields(known === null ? taken : []), {
    plan: known ?? '',
    rpm: fieldsOf(before?.rpm),
    tpm: fieldsOf(before?.tpm ?? null),
    quotaTokens: fieldsOf(before?.quotaTokens),
    concurrency: fieldsOf(before?.concurrency ?? null),
    modelLimits: modelLimitsText(before?.modelLimits ?? []),
    reason: '',
  });
  const { errors, isDirty } = form.formState;
  const chosen = form.watch();
  const action = useAction(async (values: PlanFields) => {
    const reason = values.reason.trim();
    await setPlan({
      plan: values.plan,
      version: from,
      mustBeNew: known === null,
      rpm: numberFrom(values.rpm),
      tpm: numberFrom(values.tpm),
      quotaTokens: numberFrom(values.quotaTokens),
      concurrency: numberFrom(values.concurrency),
      modelLimits: modelLimitsFrom(values.modelLimits) ?? [],
      ...(reason && { reason }),
    });
    await onDone();
    onClose();
  });
  return (
    <DialogForm
      act={known === null ? 'Add the plan' : 'Save the limits'}
      disabled={!isDirty}
      {...sending(form, action)}
      onClose={onClose}
    >
      {known === null && (
        <TextField
          label="Name"
          hint="Lower-case letters, digits and dashes."
          error={errors.plan?.message}
          {...form.register('plan')}
        />
      )}
      {limits.map(([name, label]) => (
        <LimitField
          key={name}
          label={label}
          isOfPlan
          isOwn={chosen[name].choice === 'own'}
          choice={form.register(`${name}.choice`)}
          own={form.register(`${name}.own`)}
          error={errors[name]?.own?.message}
        />
      ))}
      <ModelLimitsField error={errors.modelLimits?.message} {...form.register('modelLimits')} />
      <TextField label="Reason" optional hint="For the history." maxLength={300} {...form.register('reason')} />
    </DialogForm>
  );
}

/** A plan follows no other, so that its fields say a number or none. */
function numberFrom(fields: LimitFields): number | null {
  const limit = limitFrom(fields);
  return limit === 'plan' ? null : limit;
}
