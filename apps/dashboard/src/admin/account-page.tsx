import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Member } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { fetchAccountPeople, fetchAccounts, fetchAdminKeys } from '../api/admin';
import type { ListedAccount } from '../api/admin';
import { peopleOf } from '../api/people';
import { useSearch } from '../app/use-search';
import { ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import type { MenuItem } from '../design/menu';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { PageSteps } from '../design/steps';
import { formatDate } from '../format/time';
import { PeopleTable } from '../people/people-table';
import { PersonDialog, personMenu } from '../people/person-dialog';
import type { PersonAct } from '../people/person-dialog';
import { useSession } from '../session/session';
import { MonthCard } from '../usage/month-card';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { AccountActions } from './account-actions';
import { AccountBadge } from './account-badge';
import { AdminKeysCard } from './admin-keys-card';

/** The list is asked for the account: it is found by its id there. */
async function fetchAccount(id: string): Promise<ListedAccount | null> {
  const { data } = await fetchAccounts({ query: id });
  return data.find((account) => account.id === id) ?? null;
}

export function AccountPage() {
  const { id = '' } = useParams();
  return <AccountOf key={id} id={id} />;
}

function AccountOf({ id }: { id: string }) {
  const account = useQuery({ queryKey: ['admin', 'account', id], queryFn: () => fetchAccount(id) });
  const [search] = useSearch();
  const keys = useQuery({
    queryKey: ['admin', 'keys', id],
    queryFn: () => fetchAdminKeys({ accountId: id }),
    enabled: search.get('by') === 'key',
  });
  const [range, setRange] = useRange('week');
  const named = keys.data?.data;
  const nameOf = useLineNames(named);
  return (
    <Page
      title={account.data?.name ?? 'Account'}
      hint={<Link to="/admin/accounts">All accounts</Link>}
      actions={
        <>
          <PageSteps id={id} thing="account" pageOf={(other) => `/admin/accounts/${encodeURIComponent(other)}`} />
          {account.data && (
            <>
              <ButtonLink icon="shield" to={`/admin/budgets?accountId=${encodeURIComponent(id)}`}>
                Budgets
              </ButtonLink>
              <ButtonLink icon="columns" to={`/admin/accounts/${encodeURIComponent(id)}/statement`}>
                Statement
              </ButtonLink>
              <AccountActions account={account.data} onChanged={() => void account.refetch()} />
            </>
          )}
        </>
      }
    >
      <Loaded query={account} lines={4}>
        {(found) =>
          found ? (
            <Card title="Account">
              <Facts
                facts={[
                  ['State', <AccountBadge key="state" status={found.status} />],
                  ['Email', found.email],
                  ['Plan', found.plan],
                  ['Since', formatDate(found.createdAt)],
                  ['What for', found.purpose || null],
                  ['Id', <code key="id">{found.id}</code>],
                ]}
              />
            </Card>
          ) : (
            <Empty icon="user" title="There is no such account" />
          )
        }
      </Loaded>
      {account.data !== null && (
        <>
          <MonthCard filter={{ scope: 'fleet', accountId: id }} />
          <AccountPeopleCard accountId={id} />
          <AdminKeysCard accountId={id} />
          <div>
            <RangePicker range={range} onChange={setRange} />
          </div>
          <UsageBoard range={range} filter={{ scope: 'fleet', accountId: id }} divisions={divisions} nameOf={nameOf} />
        </>
      )}
    </Page>
  );
}

const divisions = ['model', 'key', 'provider'] as const;

/** Who is of an account: an administrator of the gateway helps where nobody of it can. */
function AccountPeopleCard({ accountId }: { accountId: string }) {
  const { user } = useSession();
  const client = useQueryClient();
  const people = useQuery({
    queryKey: ['admin', 'account-people', accountId],
    queryFn: () => fetchAccountPeople(accountId),
  });
  const [layer, setLayer] = useState<{ act: PersonAct; person: Member } | null>(null);
  const actionsOf = (person: Member): MenuItem[] => {
    const mayReset = person.hasSecondFactor === true && person.id !== user.id;
    const reset = mayReset ? (['reset'] as const) : [];
    // Whoever administers the gateway is a user of it again first.
    const acts: PersonAct[] = person.role === 'administrator' ? [...reset] : ['role', ...reset, 'remove'];
    return personMenu(acts, (act) => setLayer({ act, person }));
  };
  return (
    <Card title="People" flush>
      <Loaded query={people} lines={2}>
        {({ people: all }) =>
          all.length === 0 ? (
            <Empty icon="users" title="Nobody signs in for this account" />
          ) : (
            <PeopleTable people={all} actionsOf={actionsOf} />
          )
        }
      </Loaded>
      {layer && (
        <PersonDialog
          {...layer}
          acts={peopleOf(accountId)}
          onClose={() => setLayer(null)}
          // With somebody their keys go, which the page shows as well.
          onDone={() => void client.invalidateQueries({ queryKey: ['admin'] })}
        />
      )}
    </Card>
  );
}
