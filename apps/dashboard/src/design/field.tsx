import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes';
import styles from './field.module.css';
import { Icon } from './icon';

interface Around {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  /** The label is read out but not shown. */
  hiddenLabel?: boolean;
}

interface Wired {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

/** A label, its control, a hint, and what is wrong with it. */
function Field({
  label,
  hint,
  error,
  optional,
  hiddenLabel,
  className,
  children,
}: Around & { className?: string | undefined; children: (wired: Wired) => ReactNode }) {
  const id = useId();
  const notes = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter((note) => note !== null).join(' ');
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={hiddenLabel ? 'visually-hidden' : styles.label}>
        {label} {optional && <span className={styles.optional}>(optional)</span>}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': notes || undefined })}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** What stands around a control, apart from what is the control's own. */
function parted<Props extends Around & { className?: string | undefined }>({
  label,
  hint,
  error,
  optional,
  hiddenLabel,
  className,
  ...control
}: Props) {
  return { around: { label, hint, error, optional, hiddenLabel, className }, control };
}

export function TextField(props: Around & ComponentProps<'input'>) {
  const { around, control } = parted(props);
  return <Field {...around}>{(wired) => <input type="text" {...control} {...wired} className={styles.input} />}</Field>;
}

/** What is typed once and shown to nobody: no password of the person, so that no browser fills it in. */
export function SecretField(props: ComponentProps<typeof TextField>) {
  return <TextField type="password" autoComplete="new-password" {...props} />;
}

export function TextArea({ code, ...props }: Around & ComponentProps<'textarea'> & { code?: boolean }) {
  const { around, control } = parted(props);
  return (
    <Field {...around}>
      {(wired) => <textarea rows={3} {...control} {...wired} className={classes(styles.input, code && styles.code)} />}
    </Field>
  );
}

export function SelectField({ children, ...props }: Around & ComponentProps<'select'>) {
  const { around, control } = parted(props);
  return (
    <Field {...around}>
      {(wired) => (
        <select {...control} {...wired} className={classes(styles.input, styles.select)}>
          {children}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({ label, className, ...input }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={classes(styles.check, className)}>
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  );
}

/** A search over what is shown already. */
export function SearchField({ label, ...input }: { label: string } & ComponentProps<'input'>) {
  return (
    <div className={styles.search}>
      <Icon name="search" size={16} />
      <input type="search" aria-label={label} placeholder={label} {...input} className={styles.input} />
    </div>
  );
}
