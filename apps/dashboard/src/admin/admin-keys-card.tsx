import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { fetchAdminKeys, revokeAdminKey } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Empty } from '../design/states';
import { type Column, Table } from '../design/table';
import { formatCompact } from '../format/number';
import { keyColumns } from '../keys/key-columns';
import { NewKeyDialog } from '../keys/new-key-dialog';
import { RevokeKeyDialog } from '../keys/revoke-key-dialog';
import { CreateAccountKeyDialog } from './create-account-key-dialog';
import { KeyLimitsDialog } from './key-limits-dialog';

type Layer =
  | { kind: 'limits' | 'revoke'; key: AdminKey }
  | { kind: 'create' }
  | { kind: 'made'; made: { apiKey: string; key: AdminKey } }
  | null;

/**
 * The keys of an account, or (without one) of everybody, with the limits an administrator may set. `asleep`:
 * only those that were not used for eight weeks.
 */
export function AdminKeysCard({ accountId, asleep = false }: { accountId?: string; asleep?: boolean }) {
  const keys = useInfiniteQuery({
    queryKey: ['admin', 'key-pages', accountId ?? '', asleep],
    queryFn: ({ pageParam }) =>
      fetchAdminKeys({
        ...(accountId && { accountId }),
        ...(asleep && { asleep, limit: 500 }),
        ...(pageParam && { after: pageParam }),
      }),
    ...byCursor,
    placeholderData: keepPreviousData,
  });
  const [layer, setLayer] = useState<Layer>(null);
  const refetch = () => void keys.refetch();
  /** What had no answer may be there. */
  const close = () => {
    setLayer(null);
    refetch();
  };
  return (
    <Card
      title={accountId ? 'Keys' : undefined}
      flush
      actions={
        accountId && (
          <Button size="small" icon="plus" onClick={() => setLayer({ kind: 'create' })}>
            Create a key
          </Button>
        )
      }
    >
      <LoadedPages
        query={keys}
        empty={<NoKey asleep={asleep} isKnown={keys.data?.pages.every(({ useUnknown }) => !useUnknown) ?? true} />}
      >
        {(rows, more) => (
          <AdminKeysTable
            keys={rows}
            withAccount={!accountId}
            onLimits={(key) => setLayer({ kind: 'limits', key })}
            onRevoke={(key) => setLayer({ kind: 'revoke', key })}
            more={more}
          />
        )}
      </LoadedPages>
      {layer?.kind === 'limits' && <KeyLimitsDialog apiKey={layer.key} onClose={close} onDone={refetch} />}
      {layer?.kind === 'revoke' && (
        <RevokeKeyDialog apiKey={layer.key} revoke={revokeAdminKey} onClose={close} onRevoked={refetch} />
      )}
      {layer?.kind === 'create' && accountId && (
        <CreateAccountKeyDialog
          accountId={accountId}
          onClose={close}
          onMade={(made) => {
            setLayer({ kind: 'made', made });
            refetch();
          }}
        />
      )}
      {layer?.kind === 'made' && <NewKeyDialog made={layer.made} onClose={close} />}
    </Card>
  );
}

function NoKey({ asleep, isKnown }: { asleep: boolean; isKnown: boolean }) {
  if (!asleep) return <Empty icon="key" title="There is no key yet" />;
  if (isKnown) return <Empty icon="key" title="No key sleeps" />;
  return (
    <Empty icon="alert" title="Nobody knows which keys sleep">
      Metering does not answer. Only metering knows when a key was last used; try again in a minute.
    </Empty>
  );
}

interface Props {
  keys: AdminKey[];
  withAccount: boolean;
  onLimits: (key: AdminKey) => void;
  onRevoke: (key: AdminKey) => void;
  more: ReactNode;
}

function AdminKeysTable({ keys, withAccount, onLimits, onRevoke, more }: Props) {
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
