import type { ReactNode } from 'react';
import { z } from 'zod/mini';
import type { FactorProof } from '../api/second-factor';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import styles from './settings.module.css';
import type { Factors } from './use-factors';

const shape = z.object({
  password: z.string().check(z.minLength(1, 'Enter your password.')),
  code: z.string().check(z.trim()),
});
type Typed = z.infer<typeof shape>;

/** What touches a second factor takes: the password and, where there is one already, a code or a passkey. */
export function ProofForm({
  action,
  factors,
  tone = 'primary',
  onProof,
  onClose,
  children,
}: {
  action: string;
  factors: Factors;
  tone?: 'primary' | 'danger';
  onProof: (proof: FactorProof) => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
}) {
  const form = useZodForm(shape, { password: '', code: '' });
  const { run, busy, problem } = useAction(async ({ password, code }: Typed) => {
    if (!factors.hasAny) return onProof({ password });
    if (code.length < 6) return form.setError('code', { message: 'Enter a code.' });
    return onProof({ password, code });
  });
  const byPasskey = useAction(async ({ password }: Typed) => {
    const { provePasskey } = await import('../session/passkey');
    await onProof({ password, passkey: await provePasskey() });
  });
  const { errors } = form.formState;
  const told = problem ?? byPasskey.problem;
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
      {factors.hasAny && (
        <TextField
          label="Code"
          hint="Of your authenticator, or a recovery code."
          autoComplete="one-time-code"
          error={errors.code?.message}
          {...form.register('code')}
        />
      )}
      {told && <Note tone="bad">{told}</Note>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {factors.passkeys.length > 0 && (
          <Button busy={byPasskey.busy} onClick={(event) => void form.handleSubmit(byPasskey.run)(event)}>
            Use a passkey
          </Button>
        )}
        <Button type="submit" tone={tone} busy={busy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
