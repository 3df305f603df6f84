import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { messageOf } from '../api/api-error';
import { verifyEmail } from '../api/auth';
import { Note } from '../design/note';
import { Skeleton } from '../design/states';
import { AuthFrame } from './auth-frame';
import { useRefetchMe } from './session';

/** Where the link of the verification mail leads. The token is used once, however often the page is drawn. */
export function VerifyPage() {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const refetchMe = useRefetchMe();
  const { data, error } = useQuery({
    queryKey: ['verify-email', token],
    queryFn: async () => {
      await verifyEmail(token);
      await refetchMe();
      return true;
    },
    enabled: token !== '',
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  return (
    <AuthFrame title="Your email address" foot={<Link to="/overview">Go to your overview</Link>}>
      {data && (
        <Note tone="good" title="Verified">
          Thank you. Your address is verified.
        </Note>
      )}
      {!token && <Note tone="bad">This link is not complete. Open it again from the mail.</Note>}
      {error && (
        <Note tone="bad" title="Not verified">
          {messageOf(error)}
        </Note>
      )}
      {token && !data && !error && <Skeleton lines={2} />}
    </AuthFrame>
  );
}
