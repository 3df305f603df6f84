import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { z } from 'zod/mini';
import { messageOf } from '../api/api-error';
import { signIn, signOut, tellSecondFactor, type Me } from '../api/auth';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { authStyles } from './auth-frame';
import { EmailField } from './credential-fields';
import { useMe, useRefetchMe, useReplaceMe } from './session';

/** A challenge holds for five minutes. */
const offeredMs = 240_000;

const codeShape = z.object({ code: z.string().check(z.trim(), z.minLength(6, 'Enter the code.')) });

const shape = z.object({
  email: z.string().check(z.minLength(1, 'Enter your email address.')),
  password: z.string().check(z.minLength(1, 'Enter your password.')),
});

/** Signs in by a passkey, or by address and password, with a code or a passkey where one is wanted. */
export function SignInForm({ email = '' }: { email?: string }) {
  const { data } = useMe();
  return data?.wantsSecondFactor ? <SecondFactorForm /> : <PasswordForm email={email} />;
}

type Way = 'typed' | 'passkey';

/** One try to sign in after another, in whichever way. `problem`: of the last one; null: it had none. */
function useSigningIn() {
  const replaceMe = useReplaceMe();
  const [busy, setBusy] = useState<Way | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (way: Way, work: () => Promise<Me>) => {
    setBusy(way);
    setProblem(null);
    try {
      replaceMe(await work());
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy((now) => (now === way ? null : now));
    }
  };
  return { run, busy, problem, setProblem };
}

function PasswordForm({ email }: { email: string }) {
  const form = useZodForm(shape, { email, password: '' });
  const signingIn = useSigningIn();
  const { run, busy, problem } = signingIn;
  const typed = (values: z.infer<typeof shape>) => run('typed', () => signIn(values));
  const { errors } = form.formState;
  const hasPasskeys = useHasPasskeys();
  usePasskeyAutofill(hasPasskeys, signingIn.setProblem);
  return (
    <>
      {problem && <Note tone="bad">{problem}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(typed)(event)}>
        <EmailField passkeys={hasPasskeys} error={errors.email?.message} {...form.register('email')} />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <Button type="submit" tone="primary" size="large" busy={busy === 'typed'}>
          Sign in
        </Button>
        <PasskeyButton signingIn={signingIn}>Sign in with a passkey</PasskeyButton>
        <p className={authStyles.aside}>
          <Link to="/forgot">Forgot your password?</Link>
        </p>
      </form>
    </>
  );
}

/** The code, or the passkey, that is asked for beside a password. */
function SecondFactorForm() {
  const refetchMe = useRefetchMe();
  const form = useZodForm(codeShape, { code: '' });
  const signingIn = useSigningIn();
  const { run, busy, problem } = signingIn;
  const typed = ({ code }: z.infer<typeof codeShape>) => run('typed', () => tellSecondFactor(code));
  const back = useAction(async () => {
    await signOut();
    await refetchMe();
  });
  return (
    <>
      {problem && <Note tone="bad">{problem}</Note>}
      <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(typed)(event)}>
        <TextField
          label="Code"
          hint="Six digits of your authenticator, or a recovery code."
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          error={form.formState.errors.code?.message}
          {...form.register('code')}
        />
        <Button type="submit" tone="primary" size="large" busy={busy === 'typed'}>
          Sign in
        </Button>
        <PasskeyButton signingIn={signingIn}>Use a passkey</PasskeyButton>
        <Button tone="quiet" busy={back.busy} onClick={() => void back.run()}>
          Begin again
        </Button>
      </form>
    </>
  );
}

/** Whether browsers let people have passkeys at this address. */
function useHasPasskeys(): boolean {
  const { data } = useMe();
  return data?.features.passkeys?.origin === location.origin;
}

/** Signs in with a passkey; it is not there where browsers let nobody have one. */
function PasskeyButton({
  signingIn: { run, busy },
  children,
}: {
  signingIn: Pick<ReturnType<typeof useSigningIn>, 'run' | 'busy'>;
  children: string;
}) {
  const isHere = useHasPasskeys();
  const withPasskey = async () => {
    const { signInWithPasskey } = await import('./passkey');
    return signInWithPasskey();
  };
  if (!isHere) return null;
  return (
    <Button size="large" busy={busy === 'passkey'} onClick={() => void run('passkey', withPasskey)}>
      {children}
    </Button>
  );
}

/**
 * Has the browser offer passkeys where the address is typed, if it can, for as long as the page is in sight:
 * of several tabs that ask for one, the browser answers the last. `onProblem` hears why one that was chosen
 * was refused.
 */
function usePasskeyAutofill(isHere: boolean, onProblem: (problem: string) => void): void {
  const replaceMe = useReplaceMe();
  useEffect(() => {
    if (!isHere) return undefined;
    let isOver = false;
    // Without its code nothing is offered; the button tells of it.
    const loaded = import('./passkey').catch(() => null);
    const offer = async () => {
      const passkey = await loaded;
      if (!passkey || isOver || document.visibilityState !== 'visible') return;
      try {
        const me = await passkey.offerPasskeys();
        if (me && !isOver) replaceMe(me);
      } catch (error) {
        if (!isOver) onProblem(messageOf(error));
      }
    };
    const again = () => void offer();
    again();
    const timer = setInterval(again, offeredMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      isOver = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
      void loaded.then((passkey) => passkey?.withdrawPasskeys());
    };
  }, [isHere, replaceMe, onProblem]);
}
