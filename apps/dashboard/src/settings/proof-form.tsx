import type { ReactNode } from 'react';
import { z } from 'zod/mini';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import styles from './settings.module.css';

const shape = z.object({
  password: z.string().check(z.minLength(1, 'Enter your password.')),
  code: z.string().check(z.trim(), z.minLength(6, 'Enter a code.')),
});
type Proof = z.infer<typeof shape>;

/** Password and code, which what touches a second factor takes. */
export function ProofForm({
  action,
  tone = 'primary',
  onProof,
  onClose,
  children,
}: {
  action: string;
  tone?: 'primary' | 'danger';
  onProof: (proof: Proof) => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
}) {
  const form = useZodForm(shape, { password: '', code: '' });
  const { run, busy, problem } = useAction(onProof);
  const { errors } = form.formState;
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
      {children}
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password')}
      />
      <TextField
        label="Code"
        hint="Of your authenticator, or a recovery code."
        autoComplete="one-time-code"
        error={errors.code?.message}
        {...form.register('code')}
      />
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone={tone} busy={busy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
