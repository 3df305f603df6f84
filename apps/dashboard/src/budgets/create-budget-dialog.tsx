import { useState } from 'react';
import { createBudget } from '../api/budgets';
import { useAction } from '../api/use-action';
import { useOnce } from '../api/use-once';
import { useAccountNames } from '../admin/use-accounts';
import { SelectField, TextArea, TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { SuggestField } from '../design/suggest-field';
import { useZodForm } from '../design/use-zod-form';
import { AtLimitFields, lacksModel } from './at-limit-fields';
import { limitLabel, units, withRefusalsAtFields } from './budget-form';
import { owners, shares } from './budget-scopes';
import styles from './budgets.module.css';
import { emptyBudget, fieldsOfRefusals, newBudgetShape, toNewBudget } from './new-budget';
import type { NewBudgetValues } from './new-budget';
import { useKeysOfAccount } from './use-keys-of-account';
import { WindowFields } from './window-fields';

const fields = [
  'account',
  'keyId',
  'project',
  'names',
  'name',
  'limit',
  'timeZone',
  'models',
  'fallbackModel',
] as const;

const optionsOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));

/** `accountId`: whose it is to be; null: that is asked. */
export function CreateBudgetDialog({
  accountId,
  onClose,
  onMade,
}: {
  accountId: string | null;
  onClose: () => void;
  onMade: () => void;
}) {
  const once = useOnce();
  const form = useZodForm(newBudgetShape, { ...emptyBudget, account: accountId ?? '' });
  const accounts = useAccountNames(accountId === null).data?.data ?? [];
  const { account, owner, share, unit, window, atLimit } = form.watch();
  // Keys are asked for of an account that is typed to its end: it was left, or is one of those suggested.
  const [left, setLeft] = useState(accountId ?? '');
  const typed = account.trim();
  const isWhole = typed === left || accounts.some(({ email }) => email === typed);
  const { keys, words } = useKeysOfAccount(isWhole ? typed : '', owner === 'key');
  const { errors } = form.formState;
  const action = useAction((values: NewBudgetValues) =>
    withRefusalsAtFields(form, fields, fieldsOfRefusals(values), async () => {
      if (values.owner === 'key' && values.keyId === '') return form.setError('keyId', { message: 'Choose a key.' });
      if (values.owner === 'project' && values.project === '')
        return form.setError('project', { message: 'Say which project.' });
      if (lacksModel(values)) return form.setError('fallbackModel', { message: 'Say which model.' });
      await createBudget(toNewBudget(values), once);
      onMade();
      onClose();
    }),
  );
  return (
    <FormDialog
      title="Set a budget"
      description="It holds on every edge within a second."
      act="Set the budget"
      {...sending(form, action)}
      onClose={onClose}
    >
      {accountId === null && (
        <SuggestField
          label="Account"
          placeholder="team@example.org"
          hint="Its address, or its id."
          suggestions={accounts.map(({ email }) => email)}
          error={errors.account?.message}
          {...form.register('account', {
            onChange: () => form.setValue('keyId', ''),
            onBlur: () => setLeft(form.getValues('account').trim()),
          })}
        />
      )}
      <div className={styles.pair}>
        <SelectField label="On" {...form.register('owner')}>
          {optionsOf(owners)}
        </SelectField>
        {owner === 'key' && (
          <SelectField label="Key" error={errors.keyId?.message} {...form.register('keyId')}>
            <option value="">{words}</option>
            {keys.map(({ id, name, display }) => (
              <option key={id} value={id}>
                {name} ({display})
              </option>
            ))}
          </SelectField>
        )}
        {owner === 'project' && (
          <TextField
            label="Project"
            hint="As its keys say it."
            autoComplete="off"
            error={errors.project?.message}
            {...form.register('project')}
          />
        )}
      </div>
      <div className={styles.pair}>
        <SelectField label="Who has the limit" {...form.register('share')}>
          {optionsOf(shares)}
        </SelectField>
        {share !== 'together' && (
          <TextField
            label="Of these names"
            hint="* stands for anything."
            autoComplete="off"
            error={errors.names?.message}
            {...form.register('names')}
          />
        )}
      </div>
      <TextField
        label="Name"
        placeholder="team"
        hint="A refusal calls it so."
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name')}
      />
      <div className={styles.pair}>
        <SelectField label="Counted in" {...form.register('unit')}>
          {optionsOf(units)}
        </SelectField>
        <TextField
          label={limitLabel(unit)}
          placeholder={unit === 'usd' ? '25' : '1000000'}
          inputMode="decimal"
          autoComplete="off"
          error={errors.limit?.message}
          {...form.register('limit')}
        />
      </div>
      <WindowFields window={window} register={form.register} errors={errors} />
      <TextArea
        label="Models"
        optional
        code
        rows={2}
        placeholder="anthropic/*opus*"
        hint="Ids separated by commas; * stands for anything. Empty counts every model."
        error={errors.models?.message}
        {...form.register('models')}
      />
      <AtLimitFields
        falls={atLimit === 'fall'}
        atLimit={form.register('atLimit')}
        model={form.register('fallbackModel')}
        error={errors.fallbackModel?.message}
      />
    </FormDialog>
  );
}
