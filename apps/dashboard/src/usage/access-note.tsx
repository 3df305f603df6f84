import { ButtonLink } from '../design/button';
import { Note } from '../design/note';
import { formatDate } from '../format/time';
import { useSession } from '../session/session';
import { VerifyNote } from './verify-note';

/** Where the request for access stands, as long as it is not simply granted. */
export function AccessNote() {
  const { account, user, me } = useSession();
  return (
    <>
      {account?.status === 'pending' && (
        <Note tone="warn" title="Your request waits for approval">
          <p>
            You asked on {formatDate(account.createdAt)}. Make a key meanwhile: it starts to work the moment an
            administrator approves you. This page notices by itself.
          </p>
          <p>
            <ButtonLink to="/keys" size="small" icon="key">
              Create a key
            </ButtonLink>
          </p>
        </Note>
      )}
      {account?.status === 'declined' && (
        <Note tone="bad" title="Your request was declined">
          Requests with your keys are refused. Write to the administrator of this gateway if you think that is a
          mistake.
        </Note>
      )}
      {account?.status === 'suspended' && (
        <Note tone="bad" title="Your account is suspended">
          Requests with your keys are refused until an administrator activates it again.
        </Note>
      )}
      {!user.emailVerified && me.features.mail && <VerifyNote email={user.email} />}
    </>
  );
}
