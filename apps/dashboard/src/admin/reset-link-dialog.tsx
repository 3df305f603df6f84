import type { ResetLink } from '@tollgate/contracts';
import { useState } from 'react';
import { makeResetLinks } from '../api/admin';
import type { ListedAccount } from '../api/admin';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Dialog, DialogActions } from '../design/dialog';
import { Note } from '../design/note';
import { useStay } from '../design/use-stay';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';

/**
 * Makes links that set a password, for an administrator to hand over; once made they stay until that is said.
 */
export function ResetLinkDialog({ account, onClose }: { account: ListedAccount; onClose: () => void }) {
  const [links, setLinks] = useState<ResetLink[] | null>(null);
  useStay(links !== null);
  const { run, busy, problem } = useAction(async () => setLinks((await makeResetLinks(account.id)).links));
  return (
    <Dialog
      open
      sticky={links !== null}
      onClose={onClose}
      title={`A new password for ${account.name}`}
      description="Make a link, and hand it over yourself: whoever opens it chooses the password and is signed in."
    >
      {links?.map(({ email, link, expiresAt }) => (
        <div key={email} className={styles.resetLink}>
          <p className="muted small">
            For {email}. It works once, until {formatDateTime(expiresAt)}.
          </p>
          <code className="break">{link}</code>
          <CopyButton text={link} label="Copy the link" />
        </div>
      ))}
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        {links === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button tone="primary" busy={busy} onClick={() => void run()}>
              Make a link
            </Button>
          </>
        ) : (
          <Button tone="primary" onClick={onClose}>
            I have copied it
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
