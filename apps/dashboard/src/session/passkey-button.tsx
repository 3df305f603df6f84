import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Note } from '../design/note';
import { useMe, useReplaceMe } from './session';

/** Signs in with a passkey; it is not there where browsers let nobody have one. */
export function PasskeyButton({ children }: { children: string }) {
  const { data } = useMe();
  const replaceMe = useReplaceMe();
  const { run, busy, problem } = useAction(async () => {
    const { signInWithPasskey } = await import('./passkey');
    replaceMe(await signInWithPasskey());
  });
  if (data?.features.passkeys?.origin !== location.origin) return null;
  return (
    <>
      <Button size="large" busy={busy} onClick={() => void run()}>
        {children}
      </Button>
      {problem && <Note tone="bad">{problem}</Note>}
    </>
  );
}
