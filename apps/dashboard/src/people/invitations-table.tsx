import type { Invitation } from '@tollgate/contracts/accounts';
import { useMemo } from 'react';
import { Button } from '../design/button';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDate } from '../format/time';
import { roleTexts } from './role-field';

interface Acts {
  mayChange: boolean;
  onWithdraw: (invitation: Invitation) => void;
}

export function InvitationsTable({ invitations, mayChange, onWithdraw }: Acts & { invitations: Invitation[] }) {
  const columns = useMemo(() => columnsOf({ mayChange, onWithdraw }), [mayChange, onWithdraw]);
  return <Table label="Invitations" columns={columns} rows={invitations} rowId={({ id }) => id} />;
}

function columnsOf({ mayChange, onWithdraw }: Acts): Column<Invitation>[] {
  const columns: Column<Invitation>[] = [
    { header: 'Email', cell: ({ row }) => <span className="break">{row.original.email}</span> },
    { header: 'Role', cell: ({ row }) => roleTexts[row.original.role].name },
    { header: 'Invited by', cell: ({ row }) => <span className="break">{row.original.invitedBy}</span> },
    { header: 'Ends', meta: { whole: true }, cell: ({ row }) => formatDate(row.original.expiresAt) },
  ];
  if (!mayChange) return columns;
  const withdraw: Column<Invitation> = {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row: { original } }) => (
      <Button size="small" aria-label={`Withdraw ${original.email}`} onClick={() => onWithdraw(original)}>
        Withdraw
      </Button>
    ),
  };
  return [...columns, withdraw];
}
