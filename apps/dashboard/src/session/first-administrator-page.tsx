import { useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { z } from 'zod/mini';
import { becomeFirstAdministrator } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AuthFrame, authStyles } from './auth-frame';
import { EmailField, NewPasswordField, email, password, personName } from './credential-fields';
import { useMe, useReplaceMe } from './session';

const shape = z.object({
  secret: z.string().check(z.trim(), z.minLength(1, 'Enter the secret.')),
  name: personName,
  email,
  password,
});

/**
 * What stands behind `#` of the link that a start prints. It never leaves the browser, and is taken out of
 * the address, which others may see.
 */
function useSecretOfLink(): string {
  const [secret] = useState(useLocation().hash.slice(1));
  useEffect(() => {
    if (secret !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [secret]);
  return secret;
}

export function FirstAdministratorPage() {
  const secret = useSecretOfLink();
  const me = useMe();
  const replaceMe = useReplaceMe();
  const form = useZodForm(shape, { secret, name: '', email: '', password: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) =>
    replaceMe(await becomeFirstAdministrator(values)),
  );
  if (me.data?.user) return <Navigate to="/overview" replace />;
  if (me.data && !me.data.features.needsFirstAdministrator) return <Navigate to="/sign-in" replace />;
  const { errors } = form.formState;
  return (
    <AuthFrame
      title="First administrator"
      lead="This gateway has no administrator yet. Its first one approves requests for access and sees everything."
    >
      {problem && <Note tone="bad">{problem}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <TextField
          label="Bootstrap secret"
          autoComplete="off"
          hint="It was printed when the gateway started for the first time."
          error={errors.secret?.message}
          {...form.register('secret')}
        />
        <TextField label="Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
        <EmailField error={errors.email?.message} {...form.register('email')} />
        <NewPasswordField error={errors.password?.message} {...form.register('password')} />
        <Button type="submit" tone="primary" size="large" busy={busy}>
          Become the administrator
        </Button>
      </form>
    </AuthFrame>
  );
}
