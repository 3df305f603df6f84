import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { ListedAccount } from '../api/admin';
import { RowLink } from '../design/steps';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import { formatDate } from '../format/time';
import { AccountActions } from './account-actions';
import { AccountBadge } from './account-badge';
import styles from './admin.module.css';

export function AccountsTable({
  accounts,
  onChanged,
  more,
}: {
  accounts: ListedAccount[];
  onChanged: () => void;
  more: ReactNode;
}) {
  const columns = useMemo(() => columnsOf(onChanged), [onChanged]);
  return <Table label="Accounts" columns={columns} rows={accounts} rowId={({ id }) => id} more={more} />;
}

const columnsOf = (onChanged: () => void): Column<ListedAccount>[] => [
  {
    header: 'Account',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <RowLink to={`/admin/accounts/${encodeURIComponent(original.id)}`}>{original.name}</RowLink>
        <span className="muted break">{original.email}</span>
        {original.status === 'pending' && original.purpose && (
          <span className={styles.purpose}>{original.purpose}</span>
        )}
      </span>
    ),
  },
  { header: 'State', cell: ({ row }) => <AccountBadge status={row.original.status} /> },
  { header: 'Plan', cell: ({ row }) => row.original.plan },
  {
    header: 'Keys',
    meta: { end: true },
    cell: ({ row }) => (row.original.keys === undefined ? '–' : formatCount(row.original.keys)),
  },
  { header: 'Since', cell: ({ row }) => formatDate(row.original.createdAt) },
  {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row }) => <AccountActions account={row.original} onChanged={onChanged} />,
  },
];
