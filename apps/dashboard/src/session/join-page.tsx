import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { z } from 'zod/mini';
import { messageOf } from '../api/api-error';
import { fetchInvitation, join } from '../api/people';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { Skeleton } from '../design/states';
import { useZodForm } from '../design/use-zod-form';
import { AuthFrame, authStyles } from './auth-frame';
import { EmailField, NewPasswordField, password, personName } from './credential-fields';
import { useMe, useReplaceMe } from './session';

/** Where the link of an invitation leads; the token is in its query. */
export function JoinPage() {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => fetchInvitation(token),
    enabled: token !== '',
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  return (
    <AuthFrame
      title={data ? `Join ${data.accountName}` : 'Your invitation'}
      lead={data && `${data.invitedBy} invites you, as ${data.role}. Choose a password, and you are in.`}
      foot={
        <p>
          Already have an account? <Link to="/sign-in">Sign in</Link>
        </p>
      }
    >
      {!token && <Note tone="bad">This link is not complete. Open it again as you got it, or ask for a new one.</Note>}
      {error && <Note tone="bad">{messageOf(error)}</Note>}
      {data && <OtherPersonNote address={data.email} />}
      {data && <JoinForm token={token} address={data.email} />}
      {token && !data && !error && <Skeleton lines={2} />}
    </AuthFrame>
  );
}

/** Who opens a link that is not for them sees who they would be then. */
function OtherPersonNote({ address }: { address: string }) {
  const { data } = useMe();
  if (!data?.user || data.ended || data.user.email === address) return null;
  return (
    <Note title={`You are signed in as ${data.user.email}`}>
      This invitation is for {address}. Whoever joins with it is signed in as {address} in this browser, in your place.
    </Note>
  );
}

const shape = z.object({ name: personName, password });

function JoinForm({ token, address }: { token: string; address: string }) {
  const replaceMe = useReplaceMe();
  const navigate = useNavigate();
  const form = useZodForm(shape, { name: '', password: '' });
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => {
    replaceMe(await join({ token, ...values }));
    await navigate('/overview', { replace: true });
  });
  const { errors } = form.formState;
  return (
    <form className={authStyles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
      {problem && <Note tone="bad">{problem}</Note>}
      <EmailField value={address} readOnly />
      <TextField label="Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
      <NewPasswordField error={errors.password?.message} {...form.register('password')} />
      <Button type="submit" tone="primary" size="large" busy={busy}>
        Join
      </Button>
    </form>
  );
}
