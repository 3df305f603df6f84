import type { ComponentProps } from 'react';
import { SelectField, TextField } from '../design/field';
import styles from './admin.module.css';
import { planChoiceText } from './limit-choice';

/** A limit: the plan's (`ofPlan`, null: none, undefined: not known), one of its own, or none. */
export function LimitField({
  label,
  ofPlan,
  isOwn,
  choice,
  own,
  error,
}: {
  label: string;
  ofPlan: number | null | undefined;
  isOwn: boolean;
  choice: Omit<ComponentProps<'select'>, 'children'>;
  own: ComponentProps<'input'>;
  error: string | undefined;
}) {
  return (
    <div className={styles.limit}>
      <SelectField label={label} {...choice}>
        <option value="plan">{planChoiceText(ofPlan)}</option>
        <option value="own">A limit of its own</option>
        <option value="unlimited">Unlimited</option>
      </SelectField>
      {isOwn && <TextField label={`${label}, its own`} inputMode="numeric" error={error} {...own} />}
    </div>
  );
}
