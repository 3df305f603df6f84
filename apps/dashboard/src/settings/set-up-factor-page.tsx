import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Note } from '../design/note';
import { AuthFrame } from '../session/auth-frame';
import { leave } from '../session/leave';
import { useRefetchMe } from '../session/session';
import { SignInAgain } from '../session/sign-in-again';
import { PasskeysCard } from './passkeys-card';
import { SecondFactorCard } from './second-factor-card';
import styles from './settings.module.css';
import { useFactors } from './use-factors';

/** All that somebody can do who has to set up a second factor. It stays until they go on by themselves. */
export function SetUpFactorPage({ onDone }: { onDone: () => void }) {
  const factors = useFactors();
  const refetchMe = useRefetchMe();
  const { run, busy, problem } = useAction(async () => {
    await refetchMe();
    onDone();
  });
  const isSetUp = factors.data?.hasAny === true;
  return (
    <AuthFrame
      title="Set up a second factor"
      lead="This gateway asks for one beside your password: a passkey, or the code of an authenticator. Until then you can do nothing else here."
    >
      <div className={styles.column}>
        <PasskeysCard />
        <SecondFactorCard />
        {problem && <Note tone="bad">{problem}</Note>}
        {isSetUp && (
          <Button tone="primary" size="large" busy={busy} onClick={() => void run()}>
            Go on
          </Button>
        )}
        <Button tone="quiet" onClick={() => void leave()}>
          Sign out
        </Button>
      </div>
      <SignInAgain />
    </AuthFrame>
  );
}
