import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchAdminKeys, revokeAdminKey } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Empty } from '../design/states';
import { NewKeyDialog } from '../keys/new-key-dialog';
import { RevokeKeyDialog } from '../keys/revoke-key-dialog';
import { AdminKeysTable } from './admin-keys-table';
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
  const close = () => setLayer(null);
  const refetch = () => void keys.refetch();
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
