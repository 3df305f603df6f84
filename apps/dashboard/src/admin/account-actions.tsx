import type { ResetLink } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { makeResetLinks, setAccountRole, setAccountStatus } from '../api/admin';
import type { AccountStatus, ListedAccount } from '../api/admin';
import { useAction } from '../api/use-action';
import { Button, IconButton } from '../design/button';
import { ConfirmDialog } from '../design/confirm-dialog';
import { CopyButton } from '../design/copy-button';
import { Dialog, DialogActions } from '../design/dialog';
import { Menu } from '../design/menu';
import type { MenuItem } from '../design/menu';
import { Note } from '../design/note';
import { useStay } from '../design/use-stay';
import { formatDateTime } from '../format/time';
import { useRefetchMe } from '../session/session';
import styles from './admin.module.css';
import { PlanField } from './plan-field';

type Question = 'approve' | 'reset' | 'decline' | 'suspend' | 'promote' | 'demote' | null;

const questions = {
  decline: [
    'declined',
    'Decline this request?',
    'Decline',
    'Their keys stay refused. You can still approve them later.',
  ],
  suspend: [
    'suspended',
    'Suspend this account?',
    'Suspend',
    'All of its keys are refused at once, and its people see keys and sums alone, until you activate it again.',
  ],
} as const satisfies Record<string, readonly [AccountStatus, string, string, string]>;

/** What can be done with an account, by what it is. */
export function AccountActions({ account, onChanged: tell }: { account: ListedAccount; onChanged: () => void }) {
  const refetchMe = useRefetchMe();
  // Who still waits is told with who is signed in.
  const onChanged = () => {
    tell();
    void refetchMe();
  };
  const [question, setQuestion] = useState<Question>(null);
  const close = () => setQuestion(null);
  const then = async (work: Promise<unknown>) => {
    await work;
    onChanged();
  };
  const { id, name, status, role } = account;
  const items: MenuItem[] = [
    {
      name: status === 'active' ? 'Change the plan' : 'Approve with a plan',
      icon: 'check',
      onSelect: () => setQuestion('approve'),
    },
    ...(status === 'pending' ? [{ name: 'Decline', onSelect: () => setQuestion('decline') } as const] : []),
    ...(status === 'active' ? [{ name: 'Suspend', tone: 'bad', onSelect: () => setQuestion('suspend') } as const] : []),
    ...(role === null ? [] : [{ name: 'New password', icon: 'key', onSelect: () => setQuestion('reset') } as const]),
    role === 'administrator'
      ? { name: 'Make a plain user', icon: 'shield', onSelect: () => setQuestion('demote') }
      : { name: 'Make an administrator', icon: 'shield', onSelect: () => setQuestion('promote') },
  ];
  return (
    <span className={styles.actions}>
      {status !== 'active' && (
        <Button
          size="small"
          tone={status === 'pending' ? 'primary' : 'plain'}
          aria-label={`${status === 'pending' ? 'Approve' : 'Activate'} ${name}`}
          onClick={() => setQuestion('approve')}
        >
          {status === 'pending' ? 'Approve' : 'Activate'}
        </Button>
      )}
      <Menu items={items}>
        <IconButton size="small" icon="more" label={`Actions for ${name}`} />
      </Menu>
      {question === 'reset' && <ResetLinkDialog account={account} onClose={close} />}
      {question === 'approve' && <ApproveDialog account={account} onClose={close} onDone={onChanged} />}
      {(question === 'decline' || question === 'suspend') && (
        <ConfirmDialog
          open
          onClose={close}
          title={questions[question][1]}
          action={questions[question][2]}
          onConfirm={() => then(setAccountStatus(id, questions[question][0]))}
        >
          <strong>{name}</strong> ({account.email}). {questions[question][3]}
        </ConfirmDialog>
      )}
      {(question === 'promote' || question === 'demote') && (
        <ConfirmDialog
          open
          onClose={close}
          tone="primary"
          title={question === 'promote' ? 'Make an administrator?' : 'Make a plain user?'}
          action={question === 'promote' ? 'Make an administrator' : 'Make a plain user'}
          onConfirm={() => then(setAccountRole(id, question === 'promote' ? 'administrator' : 'user'))}
        >
          <strong>{name}</strong>{' '}
          {question === 'promote'
            ? 'will see and change everything you can.'
            : 'will see only their own account. At least one administrator must remain.'}
        </ConfirmDialog>
      )}
    </span>
  );
}

/** An approval takes hold within a second: keys made while waiting start to work. */
function ApproveDialog({
  account,
  onClose,
  onDone,
}: {
  account: ListedAccount;
  onClose: () => void;
  onDone: () => void;
}) {
  const [plan, setPlan] = useState(account.plan);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      tone="primary"
      title={account.status === 'active' ? `Plan of ${account.name}` : `Approve ${account.name}?`}
      action={account.status === 'active' ? 'Change the plan' : 'Approve'}
      onConfirm={async () => {
        await setAccountStatus(account.id, 'active', plan);
        onDone();
      }}
    >
      <PlanField
        current={account.plan}
        hint="Keys without limits of their own follow it, at once."
        value={plan}
        onChange={(event) => setPlan(event.target.value)}
      />
    </ConfirmDialog>
  );
}

/**
 * Makes links that set a password, for an administrator to hand over; once made they stay until that is said.
 */
function ResetLinkDialog({ account, onClose }: { account: ListedAccount; onClose: () => void }) {
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
