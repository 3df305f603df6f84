import { useState } from 'react';
import { setAccountStatus } from '../api/admin';
import type { ListedAccount } from '../api/admin';
import { ConfirmDialog } from '../design/confirm-dialog';
import { PlanField } from './plan-field';

/** An approval takes hold within a second: keys made while waiting start to work. */
export function ApproveDialog({
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
