import { useMemo } from 'react';
import type { OwnKey } from '../api/keys';
import { Meter } from '../design/meter';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCompact } from '../format/number';
import { useSession } from '../session/session';
import { keyColumns } from './key-columns';
import styles from './keys.module.css';

/** What can be done with a key. */
interface Acts {
  /** Whether who looks may change a key. */
  mayChange: (key: OwnKey) => boolean;
  onLogging: (key: OwnKey) => void;
  onRotate: (key: OwnKey) => void;
  onRevoke: (key: OwnKey) => void;
}

export function KeysTable({ keys, mayChange, onLogging, onRotate, onRevoke }: Acts & { keys: OwnKey[] }) {
  const columns = useMemo(
    () => columnsOf({ mayChange, onLogging, onRotate, onRevoke }),
    [mayChange, onLogging, onRotate, onRevoke],
  );
  const { user } = useSession();
  const holders = new Set(keys.map(({ person }) => person?.id ?? null));
  const isShared = holders.size > 1 || [...holders].some((holder) => holder !== null && holder !== user.id);
  return (
    <Table
      label="Your keys"
      columns={isShared ? columns : columns.filter((column) => column !== whose)}
      rows={keys}
      rowId={({ id }) => id}
    />
  );
}

const pageOf = ({ id }: OwnKey) => `/keys/${encodeURIComponent(id)}`;

function columnsOf({ mayChange, onLogging, onRotate, onRevoke }: Acts): Column<OwnKey>[] {
  const { name, state, models, lastUsed, expires, actions } = keyColumns<OwnKey>('Name', pageOf, (key) =>
    mayChange(key)
      ? [
          { name: 'Logging', icon: 'list', onSelect: () => onLogging(key) },
          { name: 'Rotate', icon: 'refresh', onSelect: () => onRotate(key) },
          { name: 'Revoke', icon: 'trash', tone: 'bad', onSelect: () => onRevoke(key) },
        ]
      : [],
  );
  return [
    name,
    whose,
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

/** Where keys are of several: of whom, or of the account itself. */
const whose: Column<OwnKey> = {
  header: 'Whose',
  cell: ({ row }) => <span className="break">{row.original.person?.name ?? 'The account’s'}</span>,
};

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
