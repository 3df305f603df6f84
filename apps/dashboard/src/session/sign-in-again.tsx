import { useLocation } from 'react-router';
import { ButtonLink } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { useMe } from './session';
import { SignInForm } from './sign-in-form';

/** Above a page whose session is over: the page stays, with what was typed. */
export function SignInAgain() {
  const { data } = useMe();
  const { pathname, search } = useLocation();
  if (!data?.ended || !data.user) return null;
  return (
    <Dialog
      open
      sticky
      onClose={() => undefined}
      title="Sign in again"
      description="You were signed out. What you typed stays here."
    >
      <SignInForm email={data.user.email} />
      <DialogActions>
        <ButtonLink to={`/sign-in?next=${encodeURIComponent(pathname + search)}`} reloadDocument>
          Sign in another way, and leave this page
        </ButtonLink>
      </DialogActions>
    </Dialog>
  );
}
