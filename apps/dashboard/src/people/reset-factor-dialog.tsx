import type { Member } from '@tollgate/contracts';
import { ConfirmDialog } from '../design/confirm-dialog';
import styles from './people.module.css';

/** Asks before somebody's second factor is taken. `reset`: takes it. */
export function ResetFactorDialog({
  person: { name, email },
  reset,
  onClose,
  onReset,
}: {
  person: Pick<Member, 'name' | 'email'>;
  reset: () => Promise<unknown>;
  onClose: () => void;
  onReset: () => void;
}) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Reset the second factor of ${name}?`}
      action="Reset the second factor"
      onConfirm={async () => {
        await reset();
        onReset();
      }}
    >
      <div className={styles.told}>
        <p>
          {email} is signed out at once. Their authenticator, passkeys and recovery codes work no more: the password
          alone signs them in, until they set up another one. Keys of theirs go on.
        </p>
        <p>
          They get a mail about it, and it stands in the audit log. Do it only once you know that it is they who ask.
        </p>
      </div>
    </ConfirmDialog>
  );
}
