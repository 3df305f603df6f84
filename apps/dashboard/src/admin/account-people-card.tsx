import { useQuery } from '@tanstack/react-query';
import type { Member } from '@tollgate/contracts';
import { useState } from 'react';
import { fetchAccountPeople, resetSecondFactorOf } from '../api/admin';
import { Card } from '../design/card';
import { Empty, Loaded } from '../design/states';
import { PeopleTable } from '../people/people-table';
import { ResetFactorDialog } from '../people/reset-factor-dialog';
import { useSession } from '../session/session';

/** Who is of an account. An administrator of the gateway helps who lost their second factor. */
export function AccountPeopleCard({ accountId }: { accountId: string }) {
  const { user } = useSession();
  const people = useQuery({
    queryKey: ['admin', 'account-people', accountId],
    queryFn: () => fetchAccountPeople(accountId),
  });
  const [lost, setLost] = useState<Member | null>(null);
  return (
    <Card title="People" flush>
      <Loaded query={people} lines={2}>
        {({ people: all }) =>
          all.length === 0 ? (
            <Empty icon="users" title="Nobody signs in for this account" />
          ) : (
            <PeopleTable
              people={all}
              actionsOf={(person) =>
                person.hasSecondFactor === true && person.id !== user.id
                  ? [{ name: 'Reset the second factor', icon: 'shield', onSelect: () => setLost(person) }]
                  : []
              }
            />
          )
        }
      </Loaded>
      {lost && (
        <ResetFactorDialog
          person={lost}
          reset={() => resetSecondFactorOf(accountId, lost.id)}
          onClose={() => setLost(null)}
          onReset={() => void people.refetch()}
        />
      )}
    </Card>
  );
}
