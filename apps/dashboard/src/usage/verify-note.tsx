import { useState } from 'react';
import { sendVerification } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Note } from '../design/note';

export function VerifyNote({ email }: { email: string }) {
  const [sent, setSent] = useState(false);
  const { run, busy, problem } = useAction(async () => {
    await sendVerification();
    setSent(true);
  });
  return (
    <Note title="Please verify your email address">
      <p>{sent ? `A new link is on its way to ${email}.` : `Open the link that we sent to ${email}.`}</p>
      {problem && <p role="alert">{problem}</p>}
      {!sent && (
        <Button size="small" busy={busy} onClick={() => void run()}>
          Send it again
        </Button>
      )}
    </Note>
  );
}
