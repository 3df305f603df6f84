import type { FieldErrors, UseFormRegister } from 'react-hook-form';
import { SelectField, TextField } from '../design/field';
import { SuggestField } from '../design/suggest-field';
import styles from './budgets.module.css';
import { hasCalendar, windowChoices } from './new-budget';
import type { NewBudgetValues } from './new-budget';

/** In which time the limit holds, and by which clock. */
export function WindowFields({
  window,
  register,
  errors,
}: {
  window: NewBudgetValues['window'];
  register: UseFormRegister<NewBudgetValues>;
  errors: FieldErrors<NewBudgetValues>;
}) {
  return (
    <div className={styles.pair}>
      <SelectField label="Window" error={errors.window?.message} {...register('window')}>
        {Object.entries(windowChoices).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </SelectField>
      {window === 'rolling' && (
        <TextField
          label="How long"
          hint="Such as 24h or 7d; at most 31d."
          autoComplete="off"
          error={errors.length?.message}
          {...register('length')}
        />
      )}
      {hasCalendar(window) && (
        <SuggestField
          label="Time zone"
          hint="Whose calendar it goes by."
          suggestions={Intl.supportedValuesOf('timeZone')}
          error={errors.timeZone?.message}
          {...register('timeZone')}
        />
      )}
    </div>
  );
}
