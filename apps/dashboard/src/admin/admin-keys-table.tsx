import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AdminKey } from '../api/admin';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCompact } from '../format/number';
import { keyColumns } from '../keys/key-columns';

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

/** Requests above tokens. */
const aMinute = ({ rpm, tpm }: AdminKey) => (
  <>
    {rpm === null ? 'Any requests' : `${formatCompact(rpm)} requests`}
    <br />
    {tpm === null ? 'any tokens' : `${formatCompact(tpm)} tokens`}
  </>
);

/** What was used above what may be. */
const aMonth = ({ usedTokens, quotaTokens }: AdminKey) => (
  <>
    {usedTokens !== undefined && `${formatCompact(usedTokens)} used`}
    {usedTokens !== undefined && <br />}
    {quotaTokens === null ? 'no limit' : `of ${formatCompact(quotaTokens)}`}
  </>
);

const accountColumn: Column<AdminKey> = {
  header: 'Account',
  cell: ({ row: { original } }) => (
    <Link to={`/admin/accounts/${encodeURIComponent(original.accountId)}`}>{original.accountName}</Link>
  ),
};

const pageOf = ({ id }: AdminKey) => `/admin/keys/${encodeURIComponent(id)}`;

function columnsOf(onLimits: (key: AdminKey) => void, onRevoke: (key: AdminKey) => void): Column<AdminKey>[] {
  const { name, state, models, lastUsed, expires, actions } = keyColumns<AdminKey>('Key', pageOf, (key) => [
    { name: 'Change limits', icon: 'settings', onSelect: () => onLimits(key) },
    { name: 'Revoke', icon: 'trash', tone: 'bad', onSelect: () => onRevoke(key) },
  ]);
  return [
    name,
    state,
    { header: 'Plan', cell: ({ row }) => row.original.plan },
    { header: 'A minute', meta: { end: true }, cell: ({ row }) => aMinute(row.original) },
    { header: 'Tokens a month', meta: { end: true }, cell: ({ row }) => aMonth(row.original) },
    models,
    lastUsed,
    expires,
    actions,
  ];
}
