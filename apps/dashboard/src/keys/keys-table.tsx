import { useMemo } from 'react';
import type { OwnKey } from '../api/keys';
import { Meter } from '../design/meter';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCompact } from '../format/number';
import { keyColumns } from './key-columns';
import styles from './keys.module.css';

/** What can be done with a key. */
interface Acts {
  onLogging: (key: OwnKey) => void;
  onRotate: (key: OwnKey) => void;
  onRevoke: (key: OwnKey) => void;
}

export function KeysTable({ keys, onLogging, onRotate, onRevoke }: Acts & { keys: OwnKey[] }) {
  const columns = useMemo(() => columnsOf({ onLogging, onRotate, onRevoke }), [onLogging, onRotate, onRevoke]);
  return <Table label="Your keys" columns={columns} rows={keys} rowId={({ id }) => id} />;
}

const pageOf = ({ id }: OwnKey) => `/keys/${encodeURIComponent(id)}`;

function columnsOf({ onLogging, onRotate, onRevoke }: Acts): Column<OwnKey>[] {
  const { name, state, models, lastUsed, expires, actions } = keyColumns<OwnKey>('Name', pageOf, (key) => [
    { name: 'Logging', icon: 'list', onSelect: () => onLogging(key) },
    { name: 'Rotate', icon: 'refresh', onSelect: () => onRotate(key) },
    { name: 'Revoke', icon: 'trash', tone: 'bad', onSelect: () => onRevoke(key) },
  ]);
  return [
    name,
    state,
    models,
    { header: 'Tokens this month', cell: ({ row }) => <UsedTokens apiKey={row.original} /> },
    {
      header: 'Requests / min',
      meta: { end: true },
      cell: ({ row }) => (row.original.rpm === null ? 'No limit' : formatCompact(row.original.rpm)),
    },
    lastUsed,
    expires,
    actions,
  ];
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
