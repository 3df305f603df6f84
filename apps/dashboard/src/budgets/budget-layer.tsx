import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { changeBudget, removeBudget } from '../api/budgets';
import type { ListedBudget } from '../api/budgets';
import { useAction } from '../api/use-action';
import { ConfirmDialog } from '../design/confirm-dialog';
import { TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useZodForm } from '../design/use-zod-form';
import { AtLimitFields, atLimitOf, atLimitShape, exceedingFrom, lacksModel } from './at-limit-fields';
import {
  checkLimit,
  limitFrom,
  limitLabel,
  limitRefusals,
  nameAndLimit,
  typedLimit,
  withRefusalsAtFields,
} from './budget-form';
import { CreateBudgetDialog } from './create-budget-dialog';

const shape = z.object({ ...nameAndLimit, ...atLimitShape }).check(checkLimit);
const fields = ['name', 'limit', 'fallbackModel'] as const;

/** What lies above a page of budgets, if anything. */
export type BudgetLayerState =
  | { kind: 'create'; accountId: string | null }
  | { kind: 'change' | 'remove'; budget: ListedBudget }
  | null;

/** The dialog that is open. What it did shows on every page at once. `onRemoved`: the budget is gone. */
export function BudgetLayer({
  layer,
  onClose,
  onRemoved,
}: {
  layer: BudgetLayerState;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: ['budgets'] });
  /** What had no answer may be there. */
  const close = () => {
    onClose();
    refresh();
  };
  switch (layer?.kind) {
    case 'create':
      return <CreateBudgetDialog accountId={layer.accountId} onClose={close} onMade={refresh} />;
    case 'change':
      return <ChangeBudgetDialog budget={layer.budget} onClose={close} onChanged={refresh} />;
    case 'remove':
      return (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove the budget "${layer.budget.name}"?`}
          action="Remove the budget"
          onConfirm={async () => {
            await removeBudget(layer.budget.id);
            onRemoved?.();
            refresh();
          }}
        >
          Within a second nothing is kept within it any more. What was spent stays in the reports; a budget of the same
          name can be set again.
        </ConfirmDialog>
      );
    default:
      return null;
  }
}

/** Only what was changed is sent; what was spent stays. */
function ChangeBudgetDialog({
  budget,
  onClose,
  onChanged,
}: {
  budget: ListedBudget;
  onClose: () => void;
  onChanged: () => void;
}) {
  const form = useZodForm(shape, {
    name: budget.name,
    unit: budget.unit,
    limit: typedLimit(budget.unit, budget.limitNanoUsd),
    ...atLimitOf(budget),
  });
  const { dirtyFields, errors, isDirty } = form.formState;
  const falls = form.watch('atLimit') === 'fall';
  const action = useAction((values: z.infer<typeof shape>) =>
    withRefusalsAtFields(form, fields, limitRefusals, async () => {
      if (lacksModel(values)) return form.setError('fallbackModel', { message: 'Say which model.' });
      await changeBudget(budget.id, {
        ...(dirtyFields.name && { name: values.name }),
        ...(dirtyFields.limit && limitFrom(values)),
        ...((dirtyFields.atLimit ?? dirtyFields.fallbackModel) && exceedingFrom(values)),
      });
      onChanged();
      onClose();
    }),
  );
  return (
    <FormDialog
      title={`Change the budget "${budget.name}"`}
      description="Takes hold within a second; what was spent stays. For another window, or other keys or models, set another budget."
      act="Save the budget"
      disabled={!isDirty}
      {...sending(form, action)}
      onClose={onClose}
    >
      <TextField label="Name" autoComplete="off" error={errors.name?.message} {...form.register('name')} />
      <TextField
        label={limitLabel(budget.unit)}
        inputMode="decimal"
        autoComplete="off"
        error={errors.limit?.message}
        {...form.register('limit')}
      />
      <AtLimitFields
        falls={falls}
        atLimit={form.register('atLimit')}
        model={form.register('fallbackModel')}
        error={errors.fallbackModel?.message}
      />
    </FormDialog>
  );
}
