import { Link } from 'react-router';
import { z } from 'zod/mini';
import { signIn } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { authStyles } from './auth-frame';
import { EmailField } from './credential-fields';
import { PasskeyButton, useHasPasskeys } from './passkey-button';
import { SecondFactorForm } from './second-factor-form';
import { useMe, useReplaceMe } from './session';
import { usePasskeyAutofill } from './use-passkey-autofill';

const shape = z.object({
  email: z.string().check(z.minLength(1, 'Enter your email address.')),
  password: z.string().check(z.minLength(1, 'Enter your password.')),
});

/** Signs in by a passkey, or by address and password, with a code or a passkey where one is wanted. */
export function SignInForm({ email = '' }: { email?: string }) {
  const { data } = useMe();
  return data?.wantsSecondFactor ? <SecondFactorForm /> : <PasswordForm email={email} />;
}

function PasswordForm({ email }: { email: string }) {
  const replaceMe = useReplaceMe();
  const form = useZodForm(shape, { email, password: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => replaceMe(await signIn(values)));
  const { errors } = form.formState;
  const hasPasskeys = useHasPasskeys();
  const refused = usePasskeyAutofill(hasPasskeys);
  const told = problem ?? refused;
  return (
    <>
      {told && <Note tone="bad">{told}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <EmailField passkeys={hasPasskeys} error={errors.email?.message} {...form.register('email')} />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <Button type="submit" tone="primary" size="large" busy={busy}>
          Sign in
        </Button>
        <PasskeyButton>Sign in with a passkey</PasskeyButton>
        <p className={authStyles.aside}>
          <Link to="/forgot">Forgot your password?</Link>
        </p>
      </form>
    </>
  );
}
