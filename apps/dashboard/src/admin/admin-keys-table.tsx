import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AdminKey } from '../api/admin';
import { Badge } from '../design/badge';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCompact } from '../format/number';
import { formatDate } from '../format/time';
import { isUsable, keyStateOf } from '../keys/key-state';
import styles from './admin.module.css';

interface Props {
  keys: AdminKey[];
  withAccount: boolean;
  onLimits: (key: AdminKey) => void;
  onRevoke: (key: AdminKey) => void;
  more: ReactNode;
}

export function AdminKeysTable({ keys, withAccount, onLimits, onRevoke, more }: Props) {
  const columns = useMemo(() => {
    const all = columnsOf(onLimits, onRevoke);
    return withAccount ? all.toSpliced(1, 0, accountColumn) : all;
  }, [withAccount, onLimits, onRevoke]);
  return <Table label="Keys" columns={columns} rows={keys} rowId={({ id }) => id} more={more} />;
}

const limit = (value: number | null) => (value === null ? 'No limit' : formatCompact(value));

const accountColumn: Column<AdminKey> = {
  header: 'Account',
  cell: ({ row: { original } }) => (
    <Link to={`/admin/accounts/${encodeURIComponent(original.accountId)}`}>{original.accountName}</Link>
  ),
};

const columnsOf = (onLimits: (key: AdminKey) => void, onRevoke: (key: AdminKey) => void): Column<AdminKey>[] => [
  {
    header: 'Key',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <span className="break">{original.name}</span>
        <code className="muted">{original.display}</code>
      </span>
    ),
  },
  {
    header: 'State',
    cell: ({ row }) => {
      const { tone, text } = keyStateOf(row.original, Date.now());
      return <Badge tone={tone}>{text}</Badge>;
    },
  },
  { header: 'Plan', cell: ({ row }) => row.original.plan },
  { header: 'Requests / min', meta: { end: true }, cell: ({ row }) => limit(row.original.rpm) },
  {
    header: 'Tokens per month',
    meta: { end: true },
    cell: ({ row: { original } }) =>
      original.usedTokens === undefined
        ? limit(original.quotaTokens)
        : original.quotaTokens === null
          ? `${formatCompact(original.usedTokens)}, no limit`
          : `${formatCompact(original.usedTokens)} of ${formatCompact(original.quotaTokens)}`,
  },
  { header: 'Models', cell: ({ row }) => <span className="break">{row.original.models.join(', ') || 'All'}</span> },
  {
    header: 'Expires',
    meta: { whole: true },
    cell: ({ row }) => (row.original.expiresAt === null ? 'Never' : formatDate(row.original.expiresAt)),
  },
  {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row: { original } }) =>
      isUsable(original, Date.now()) && (
        <Menu
          items={[
            { name: 'Change limits', icon: 'settings', onSelect: () => onLimits(original) },
            { name: 'Revoke', icon: 'trash', tone: 'bad', onSelect: () => onRevoke(original) },
          ]}
        >
          <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
        </Menu>
      ),
  },
];
