import { accountRole } from '@tollgate/contracts';
import { useState } from 'react';
import { changeRole } from '../api/people';
import type { ListedPerson } from '../api/people';
import { ConfirmDialog } from '../design/confirm-dialog';
import { RoleField } from './role-field';

export function ChangeRoleDialog({
  person,
  onClose,
  onChanged,
}: {
  person: ListedPerson;
  onClose: () => void;
  onChanged: () => void;
}) {
  const [role, setRole] = useState(person.accountRole);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`The role of ${person.name}`}
      action="Change the role"
      tone="primary"
      onConfirm={async () => {
        await changeRole(person.id, role);
        onChanged();
      }}
    >
      <RoleField role={role} onChange={({ target }) => setRole(accountRole.parse(target.value))} />
    </ConfirmDialog>
  );
}
