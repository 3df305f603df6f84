import { useId } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { Checkbox, SelectField } from '../design/field';
import { alertNames, chosenKinds } from './webhook-words';
import styles from './webhooks.module.css';

interface Fields {
  which: UseFormRegisterReturn;
  kinds: UseFormRegisterReturn;
  /** Whether only some alerts are chosen. */
  isSome: boolean;
  error: string | undefined;
}

/** Which alerts a webhook is told: all, or those that are ticked. */
export function AlertFields({ which, kinds, isSome, error }: Fields) {
  const errorId = useId();
  return (
    <>
      <SelectField label="Which alerts" {...which}>
        <option value="all">All, and those that later releases add</option>
        <option value="some">Only these</option>
      </SelectField>
      {isSome && (
        <fieldset className={styles.kinds} aria-describedby={error ? errorId : undefined}>
          <legend className="visually-hidden">These alerts</legend>
          {chosenKinds.map((kind) => (
            <Checkbox key={kind} label={alertNames[kind]} value={kind} {...kinds} />
          ))}
          {error && (
            <p id={errorId} className={styles.error} role="alert">
              {error}
            </p>
          )}
        </fieldset>
      )}
    </>
  );
}
