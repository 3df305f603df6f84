import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Note } from '../design/note';
import { useMe, useReplaceMe } from './session';

/** Whether browsers let people have passkeys at this address. */
export function useHasPasskeys(): boolean {
  const { data } = useMe();
  return data?.features.passkeys?.origin === location.origin;
}

/** Signs in with a passkey; it is not there where browsers let nobody have one. */
export function PasskeyButton({ children }: { children: string }) {
  const isHere = useHasPasskeys();
  const replaceMe = useReplaceMe();
  const { run, busy, problem } = useAction(async () => {
    const { signInWithPasskey } = await import('./passkey');
    replaceMe(await signInWithPasskey());
  });
  if (!isHere) return null;
  return (
    <>
      <Button size="large" busy={busy} onClick={() => void run()}>
        {children}
      </Button>
      {problem && <Note tone="bad">{problem}</Note>}
    </>
  );
}
