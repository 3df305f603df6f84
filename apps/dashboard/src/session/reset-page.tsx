import { Link, useNavigate, useSearchParams } from 'react-router';
import { z } from 'zod/mini';
import { resetPassword } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AuthFrame, authStyles } from './auth-frame';
import { NewPasswordField, password } from './credential-fields';
import { useReplaceMe } from './session';

const shape = z.object({ password });

/** Where the link of the mail leads; the token is in its query. */
export function ResetPage() {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const replaceMe = useReplaceMe();
  const navigate = useNavigate();
  const form = useZodForm(shape, { password: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => {
    replaceMe(await resetPassword({ token, password: values.password }));
    await navigate('/overview', { replace: true });
  });
  return (
    <AuthFrame
      title="Choose a new password"
      lead="You are signed in with it afterwards; every other session ends."
      foot={<Link to="/forgot">Ask for a new link</Link>}
    >
      {!token && <Note tone="bad">This link is not complete. Open it again from the mail, or ask for a new one.</Note>}
      {problem && <Note tone="bad">{problem}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <NewPasswordField
          label="New password"
          error={form.formState.errors.password?.message}
          {...form.register('password')}
        />
        <Button type="submit" tone="primary" size="large" busy={busy} disabled={!token}>
          Save the password
        </Button>
      </form>
    </AuthFrame>
  );
}
