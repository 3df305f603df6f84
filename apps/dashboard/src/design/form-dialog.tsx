import type { ComponentProps, FormEvent, ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { Button } from './button';
import { Dialog, DialogActions } from './dialog';
import styles from './dialog.module.css';
import { Note } from './note';

interface DialogFormProps {
  /** What its button says. */
  act: string;
  /** Of `useAction`. */
  action: { busy: boolean; problem: string | null };
  /** Of a form that says itself what is wrong with its fields. */
  noValidate?: boolean;
  /** Nothing can be sent yet. */
  disabled?: boolean;
  onSubmit: (event: FormEvent) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

/** The fields of a dialog that does one thing. */
export function DialogForm({ act, action, noValidate, disabled, onSubmit, onClose, children }: DialogFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onSubmit(event);
  };
  return (
    <form className={styles.form} noValidate={noValidate} onSubmit={submit}>
      {children}
      {action.problem && <Note tone="bad">{action.problem}</Note>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" busy={action.busy} disabled={disabled}>
          {act}
        </Button>
      </DialogActions>
    </form>
  );
}

/** What sends a form of `useZodForm`, which says itself what is wrong with its fields. */
export function sending<Values extends FieldValues>(
  form: UseFormReturn<Values, unknown, Values>,
  action: DialogFormProps['action'] & { run: (values: Values) => Promise<void> },
): Pick<DialogFormProps, 'action' | 'noValidate' | 'onSubmit'> {
  return { action, noValidate: true, onSubmit: form.handleSubmit(action.run) };
}

/** A dialog of fields that does one thing. */
export function FormDialog({
  title,
  description,
  ...form
}: Pick<ComponentProps<typeof Dialog>, 'title' | 'description'> & DialogFormProps) {
  return (
    <Dialog open onClose={form.onClose} title={title} description={description}>
      <DialogForm {...form} />
    </Dialog>
  );
}
