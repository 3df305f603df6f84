import { useMemo } from 'react';
import type { OwnKey } from '../api/keys';
import { Badge } from '../design/badge';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import { Meter } from '../design/meter';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCompact } from '../format/number';
import { formatDate, formatRelative } from '../format/time';
import { isUsable, keyStateOf } from './key-state';
import styles from './keys.module.css';

export function KeysTable({
  keys,
  onRotate,
  onRevoke,
}: {
  keys: OwnKey[];
  onRotate: (key: OwnKey) => void;
  onRevoke: (key: OwnKey) => void;
}) {
  // Not every gateway tells when a key was last used.
  const told = keys.some(({ lastUsedAt }) => lastUsedAt !== undefined);
  const columns = useMemo(
    () => columnsOf(onRotate, onRevoke).filter(({ header }) => told || header !== 'Last used'),
    [onRotate, onRevoke, told],
  );
  return <Table label="Your keys" columns={columns} rows={keys} rowId={({ id }) => id} />;
}

const columnsOf = (onRotate: (key: OwnKey) => void, onRevoke: (key: OwnKey) => void): Column<OwnKey>[] => [
  { header: 'Name', cell: ({ row }) => <KeyName apiKey={row.original} /> },
  {
    header: 'State',
    cell: ({ row }) => {
      const { tone, text } = keyStateOf(row.original, Date.now());
      return <Badge tone={tone}>{text}</Badge>;
    },
  },
  { header: 'Models', cell: ({ row }) => <span className="break">{row.original.models.join(', ') || 'All'}</span> },
  { header: 'Tokens this month', cell: ({ row }) => <UsedTokens apiKey={row.original} /> },
  {
    header: 'Requests / min',
    meta: { end: true },
    cell: ({ row }) => (row.original.rpm === null ? 'No limit' : formatCompact(row.original.rpm)),
  },
  {
    header: 'Last used',
    meta: { whole: true },
    cell: ({ row: { original } }) => (original.lastUsedAt ? formatRelative(original.lastUsedAt) : 'Never'),
  },
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
            { name: 'Rotate', icon: 'refresh', onSelect: () => onRotate(original) },
            { name: 'Revoke', icon: 'trash', tone: 'bad', onSelect: () => onRevoke(original) },
          ]}
        >
          <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
        </Menu>
      ),
  },
];

function KeyName({ apiKey: { name, display } }: { apiKey: OwnKey }) {
  return (
    <span className={styles.name}>
      <span className="break">{name}</span>
      <code className="muted">{display}</code>
    </span>
  );
}

function UsedTokens({ apiKey: { name, usedTokens = 0, quotaTokens } }: { apiKey: OwnKey }) {
  if (quotaTokens === null) return <span className="number">{formatCompact(usedTokens)}, no limit</span>;
  return (
    <span className={styles.used}>
      <span className="number">
        {formatCompact(usedTokens)} of {formatCompact(quotaTokens)}
      </span>
      <Meter used={usedTokens} limit={quotaTokens} label={`Used tokens of ${name}`} />
    </span>
  );
}
