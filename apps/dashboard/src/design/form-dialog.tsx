import type { FormEvent, ReactNode } from 'react';
import { Button } from './button';
import { Dialog, DialogActions } from './dialog';
import styles from './dialog.module.css';
import { Note } from './note';

interface Action {
  run: () => Promise<unknown>;
  busy: boolean;
  problem: string | null;
}

/** A dialog of fields that does one thing. `act`: what its button says; `action`: of `useAction`. */
export function FormDialog({
  title,
  description,
  act,
  action: { run, busy, problem },
  onClose,
  children,
}: {
  title: string;
  description: ReactNode;
  act: string;
  action: Action;
  onClose: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      <form className={styles.form} onSubmit={submit}>
        {children}
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {act}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
