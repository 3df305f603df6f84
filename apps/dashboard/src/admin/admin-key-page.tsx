import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { fetchAdminKey, renameAdminKey, revokeAdminKey } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { Button } from '../design/button';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { PageSteps } from '../design/steps';
import { KeyFacts } from '../keys/key-facts';
import { isUsable } from '../keys/key-state';
import { RenameKeyDialog } from '../keys/rename-key-dialog';
import { RevokeKeyDialog } from '../keys/revoke-key-dialog';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { pollMs } from '../usage/use-series';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { KeyLimitsDialog } from './key-limits-dialog';

const divisions = ['model', 'provider'] as const;

/** A key of anybody at its address: whose it is, what it may and used, and what an administrator does to it. */
export function AdminKeyPage() {
  const { id = '' } = useParams();
  const key = useQuery({
    queryKey: ['admin', 'key', id],
    queryFn: () => fetchAdminKey(id),
    refetchInterval: 2 * pollMs,
  });
  const [layer, setLayer] = useState<'rename' | 'limits' | 'revoke' | null>(null);
  const close = () => setLayer(null);
  const changed = () => void key.refetch();
  const apiKey = key.data?.key;
  return (
    <Page
      title={apiKey?.name ?? 'Key'}
      hint={<Link to="/admin/keys">All keys</Link>}
      actions={
        <>
          <PageSteps id={id} thing="key" pageOf={(other) => `/admin/keys/${encodeURIComponent(other)}`} />
          {apiKey && isUsable(apiKey, key.dataUpdatedAt) && (
            <>
              <Button icon="edit" onClick={() => setLayer('rename')}>
                Rename
              </Button>
              <Button icon="settings" onClick={() => setLayer('limits')}>
                Change limits
              </Button>
              <Button icon="trash" onClick={() => setLayer('revoke')}>
                Revoke
              </Button>
            </>
          )}
        </>
      }
    >
      <Loaded query={key} lines={6}>
        {(found) => <Opened key={id} apiKey={found.key} now={key.dataUpdatedAt} />}
      </Loaded>
      {apiKey && layer === 'rename' && (
        <RenameKeyDialog apiKey={apiKey} rename={renameAdminKey} onClose={close} onRenamed={changed} />
      )}
      {apiKey && layer === 'limits' && <KeyLimitsDialog apiKey={apiKey} onClose={close} onDone={changed} />}
      {apiKey && layer === 'revoke' && (
        <RevokeKeyDialog apiKey={apiKey} revoke={revokeAdminKey} onClose={close} onRevoked={changed} />
      )}
    </Page>
  );
}

function Opened({ apiKey, now }: { apiKey: AdminKey; now: number }) {
  const { id, accountId, accountName, person, plan } = apiKey;
  const [range, setRange] = useRange('week');
  const nameOf = useLineNames(undefined);
  const whose: [string, ReactNode][] = [
    [
      'Account',
      <Link key="account" to={`/admin/accounts/${encodeURIComponent(accountId)}`}>
        {accountName}
      </Link>,
    ],
    ['Whose', person?.name ?? 'The account’s'],
    ['Plan', plan],
  ];
  return (
    <>
      <KeyFacts apiKey={apiKey} now={now} whose={whose} accountOf={accountId} />
      <div>
        <RangePicker range={range} onChange={setRange} />
      </div>
      <UsageBoard range={range} filter={{ scope: 'fleet', keyId: id }} divisions={divisions} nameOf={nameOf} />
    </>
  );
}
