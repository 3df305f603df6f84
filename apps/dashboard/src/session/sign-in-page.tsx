import { Link, Navigate, useSearchParams } from 'react-router';
import { z } from 'zod/mini';
import { signIn } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button, ButtonLink } from '../design/button';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AuthFrame, authStyles } from './auth-frame';
import { EmailField } from './credential-fields';
import { useMe, useReplaceMe } from './session';
import { pathAfterSignIn } from './path-after-sign-in';
import { reasonFrom } from './reason-from';

const shape = z.object({
  email: z.string().check(z.minLength(1, 'Enter your email address.')),
  password: z.string().check(z.minLength(1, 'Enter your password.')),
});

export function SignInPage() {
  const me = useMe();
  const replaceMe = useReplaceMe();
  const [search] = useSearchParams();
  const form = useZodForm(shape, { email: '', password: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => replaceMe(await signIn(values)));
  if (me.data?.user) return <Navigate to={pathAfterSignIn(search.get('next'))} replace />;
  const { errors } = form.formState;
  const told = problem ?? reasonFrom(search.get('error'));
  const features = me.data?.features;
  return (
    <AuthFrame
      title="Sign in"
      foot={
        <p>
          No account yet? <Link to="/sign-up">Request access</Link>
        </p>
      }
    >
      {features?.needsFirstAdministrator && (
        <Note title="Nobody looks after this gateway yet">
          <Link to="/first-administrator">Become its first administrator</Link> with the secret that was printed when it
          started.
        </Note>
      )}
      {told && <Note tone="bad">{told}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <EmailField error={errors.email?.message} {...form.register('email')} />
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
        <p className={authStyles.aside}>
          <Link to="/forgot">Forgot your password?</Link>
        </p>
      </form>
      {features?.oidc && (
        <>
          <div className={authStyles.or}>or</div>
          {/* No form: the content security policy lets forms lead to this site only, also by a redirect. */}
          <ButtonLink to="/api/auth/oidc" reloadDocument size="large">
            Continue with {features.oidc.name}
          </ButtonLink>
        </>
      )}
    </AuthFrame>
  );
}
