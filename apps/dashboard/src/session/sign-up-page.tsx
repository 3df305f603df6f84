import { Link, Navigate } from 'react-router';
import { z } from 'zod/mini';
import { signUp } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { TextArea, TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AuthFrame, authStyles } from './auth-frame';
import { EmailField, NewPasswordField, email, password, personName } from './credential-fields';
import { useMe, useReplaceMe } from './session';

const shape = z.object({
  name: personName,
  email,
  password,
  purpose: z.string().check(z.maxLength(2000, 'Use at most 2,000 characters.')),
});

export function SignUpPage() {
  const me = useMe();
  const replaceMe = useReplaceMe();
  const form = useZodForm(shape, { name: '', email: '', password: '', purpose: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => replaceMe(await signUp(values)));
  if (me.data?.user) return <Navigate to="/overview" replace />;
  const { errors } = form.formState;
  return (
    <AuthFrame
      title="Request access"
      lead="You can make a key right away. It starts to work the moment an administrator approves your request."
      foot={
        <p>
          Already have an account? <Link to="/sign-in">Sign in</Link>
        </p>
      }
    >
      {problem && <Note tone="bad">{problem}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <TextField label="Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
        <EmailField error={errors.email?.message} {...form.register('email')} />
        <NewPasswordField error={errors.password?.message} {...form.register('password')} />
        <TextArea
          label="What is it for?"
          optional
          hint="A sentence helps whoever decides."
          error={errors.purpose?.message}
          {...form.register('purpose')}
        />
        <Button type="submit" tone="primary" size="large" busy={busy}>
          Request access
        </Button>
      </form>
    </AuthFrame>
  );
}
