import { useEffect } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { ButtonLink } from '../design/button';
import { Note } from '../design/note';
import { AuthFrame, authStyles } from './auth-frame';
import { useMe } from './session';
import { forgetOthers } from './stored';
import { SignInForm } from './sign-in-form';
import { pathAfterSignIn, reasonFrom } from './sign-in';

export function SignInPage() {
  const me = useMe();
  const [search] = useSearchParams();
  const isNobody = me.data !== undefined && me.data.user === null;
  useEffect(() => {
    if (isNobody) forgetOthers(null);
  }, [isNobody]);
  if (me.data?.user && !me.data.ended) return <Navigate to={pathAfterSignIn(search.get('next'))} replace />;
  const told = reasonFrom(search.get('error'));
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
      <SignInForm />
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
