import { accountRole } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import type { ListedPerson, PeopleActs } from '../api/people';
import { ConfirmDialog } from '../design/confirm-dialog';
import type { MenuItem } from '../design/menu';
import styles from './people.module.css';
import { RoleField } from './role-field';

export type PersonAct = 'role' | 'reset' | 'remove';

const items: Readonly<Record<PersonAct, Omit<MenuItem, 'onSelect'>>> = {
  role: { name: 'Change the role', icon: 'user' },
  reset: { name: 'Reset the second factor', icon: 'shield' },
  remove: { name: 'Remove', icon: 'trash', tone: 'bad' },
};

/** A menu of what may be done with somebody. */
export function personMenu(acts: readonly PersonAct[], onAct: (act: PersonAct) => void): MenuItem[] {
  return acts.map((act) => ({ ...items[act], onSelect: () => onAct(act) }));
}

interface Asked {
  person: ListedPerson;
  acts: PeopleActs;
  onClose: () => void;
  onDone: () => void;
}

/** Asks before something is done with somebody of an account, and has it done. */
export function PersonDialog({ act, ...asked }: Asked & { act: PersonAct }) {
  if (act === 'role') return <ChangeRoleDialog {...asked} />;
  return act === 'reset' ? <ResetFactorDialog {...asked} /> : <RemoveDialog {...asked} />;
}

function ChangeRoleDialog({ person, acts, onClose, onDone }: Asked) {
  const [role, setRole] = useState(person.accountRole);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`The role of ${person.name}`}
      action="Change the role"
      tone="primary"
      onConfirm={async () => {
        await acts.changeRole(person.id, role);
        onDone();
      }}
    >
      <RoleField role={role} onChange={({ target }) => setRole(accountRole.parse(target.value))} />
    </ConfirmDialog>
  );
}

function ResetFactorDialog({ person: { id, name, email }, acts, onClose, onDone }: Asked) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Reset the second factor of ${name}?`}
      action="Reset the second factor"
      onConfirm={async () => {
        await acts.resetSecondFactor(id);
        onDone();
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

function RemoveDialog({ person: { id, name, email, keys }, acts, onClose, onDone }: Asked) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Remove ${name}?`}
      action="Remove"
      onConfirm={async () => {
        await acts.remove(id);
        onDone();
      }}
    >
      {email} is signed out at once.{' '}
      {keys > 0
        ? `${keys === 1 ? 'One key' : `${keys} keys`} of theirs stop within a second: programs that use them are refused.`
        : 'No key of theirs is in use.'}{' '}
      What they used stays in the reports.
    </ConfirmDialog>
  );
}
