import { useState } from 'react';
import { Link } from 'react-router';
import { z } from 'zod/mini';
import { askForReset } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AuthFrame, authStyles } from './auth-frame';
import { EmailField, email } from './credential-fields';
import { useMe } from './session';

const shape = z.object({ email });

export function ForgotPage() {
  const me = useMe();
  const [sent, setSent] = useState(false);
  const form = useZodForm(shape, { email: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => {
    await askForReset(values.email);
    setSent(true);
  });
  // Without mail nothing that is typed here would go anywhere.
  if (me.data && !me.data.features.mail) return <AskAnAdministrator />;
  return (
    <AuthFrame
      title="Reset your password"
      lead="Tell us your address, and we send a link that lets you choose a new password."
      foot={<Link to="/sign-in">Back to sign in</Link>}
    >
      {problem && <Note tone="bad">{problem}</Note>}
      {sent ? (
        <div role="status">
          <Note tone="good" title="Sent, if the address is known">
            The link works once. Did nothing arrive? Look into the spam folder, or try again in a few minutes.
          </Note>
        </div>
      ) : (
        <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
          <EmailField error={form.formState.errors.email?.message} {...form.register('email')} />
          <Button type="submit" tone="primary" size="large" busy={busy}>
            Send the link
          </Button>
        </form>
      )}
    </AuthFrame>
  );
}

function AskAnAdministrator() {
  return (
    <AuthFrame title="Reset your password" foot={<Link to="/sign-in">Back to sign in</Link>}>
      <Note title="This gateway sends no mail">
        Ask an administrator for a link: on the page Accounts they choose “New password” for you. It lets you choose a
        new password, and signs you in.
      </Note>
    </AuthFrame>
  );
}
