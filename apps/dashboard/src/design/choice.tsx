import { useId } from 'react';
import styles from './choice.module.css';

/** One of a few, all of them in sight. */
export function Choice<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={styles.group}>
      {options.map(([option, text]) => (
        <label key={option} className={styles.option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          {text}
        </label>
      ))}
    </div>
  );
}
