import type { ComponentProps } from 'react';
import { SelectField, TextArea, TextField } from '../design/field';
import styles from './admin.module.css';
import { planChoiceText } from './limit-choice';

/**
 * A limit: the plan's (`ofPlan`, null: none, undefined: not known), one of its own, or none. `isOfPlan`: of a
 * plan itself, which follows no other.
 */
export function LimitField({
  label,
  ofPlan,
  isOfPlan = false,
  isOwn,
  choice,
  own,
  error,
}: {
  label: string;
  ofPlan?: number | null | undefined;
  isOfPlan?: boolean;
  isOwn: boolean;
  choice: Omit<ComponentProps<'select'>, 'children'>;
  own: ComponentProps<'input'>;
  error: string | undefined;
}) {
  return (
    <div className={styles.limit}>
      <SelectField label={label} {...choice}>
        {!isOfPlan && <option value="plan">{planChoiceText(ofPlan)}</option>}
        <option value="own">{isOfPlan ? 'A limit' : 'A limit of its own'}</option>
        <option value="unlimited">Unlimited</option>
      </SelectField>
      {isOwn && (
        <TextField
          label={isOfPlan ? `${label}, at most` : `${label}, its own`}
          inputMode="numeric"
          error={error}
          {...own}
        />
      )}
    </div>
  );
}

/** Limits of a key or a plan for models, a line each: see `modelLimitsFrom`. */
export function ModelLimitsField(field: { error: string | undefined } & ComponentProps<'textarea'>) {
  return (
    <TextArea
      label="Limits of models, a minute"
      optional
      code
      rows={2}
      hint="A line for each pattern, such as openai/* rpm=60 tpm=100000."
      {...field}
    />
  );
}
