import { useState } from 'react';
import { z } from 'zod/mini';
import { changePassword } from '../api/auth';
import { useAction } from '../api/use-action';
import { Card } from '../design/card';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { NewPasswordField, password } from '../session/credential-fields';
import { useReplaceMe, useSession } from '../session/session';
import { SaveRow } from './save-row';
import styles from './settings.module.css';

const shape = z.object({
  current: z.string().check(z.minLength(1, 'Enter your present password.')),
  next: password,
});

export function PasswordCard() {
  const { user } = useSession();
  const replaceMe = useReplaceMe();
  const [saved, setSaved] = useState(false);
  const form = useZodForm(shape, { current: '', next: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => {
    setSaved(false);
    replaceMe(await changePassword(values));
    form.reset();
    setSaved(true);
  });
  const { errors } = form.formState;
  return (
    <Card title="Password" hint="Changing it ends your other sessions.">
      <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <TextField
          label="Present password"
          type="password"
          autoComplete="current-password"
          error={errors.current?.message}
          {...form.register('current')}
        />
        <NewPasswordField label="New password" error={errors.next?.message} {...form.register('next')} />
        {problem && <Note tone="bad">{problem}</Note>}
        <SaveRow busy={busy} saved={saved && 'Changed. Your other sessions ended.'}>
          Change the password
        </SaveRow>
      </form>
    </Card>
  );
}
