import { z } from 'zod/mini';
import { signOut, tellSecondFactor } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { authStyles } from './auth-frame';
import { PasskeyButton } from './passkey-button';
import { useRefetchMe, useReplaceMe } from './session';

const shape = z.object({ code: z.string().check(z.trim(), z.minLength(6, 'Enter the code.')) });

/** The code, or the passkey, that is asked for beside a password. */
export function SecondFactorForm() {
  const replaceMe = useReplaceMe();
  const refetchMe = useRefetchMe();
  const form = useZodForm(shape, { code: '' });
  const { run, busy, problem } = useAction(async ({ code }: z.infer<typeof shape>) =>
    replaceMe(await tellSecondFactor(code)),
  );
  const back = useAction(async () => {
    await signOut();
    await refetchMe();
  });
  return (
    <>
      {problem && <Note tone="bad">{problem}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <TextField
          label="Code"
          hint="Six digits of your authenticator, or a recovery code."
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          error={form.formState.errors.code?.message}
          {...form.register('code')}
        />
        <Button type="submit" tone="primary" size="large" busy={busy}>
          Sign in
        </Button>
        <PasskeyButton>Use a passkey</PasskeyButton>
        <Button tone="quiet" busy={back.busy} onClick={() => void back.run()}>
          Begin again
        </Button>
      </form>
    </>
  );
}
