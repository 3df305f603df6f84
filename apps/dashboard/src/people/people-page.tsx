import { useQuery } from '@tanstack/react-query';
import type { Invitation } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { fetchPeople, ownPeople, withdrawInvitation } from '../api/people';
import type { ListedPerson } from '../api/people';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import type { MenuItem } from '../design/menu';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { useMay, useSession } from '../session/session';
import { InvitationsTable } from './invitations-table';
import { InviteDialog } from './invite-dialog';
import { mayReset } from './may-reset';
import { PeopleTable } from './people-table';
import { PersonDialog, personMenu } from './person-dialog';
import type { PersonAct } from './person-dialog';

/** What lies above the page, if anything. */
type Layer =
  | { kind: 'invite' }
  | { kind: 'person'; act: PersonAct; person: ListedPerson }
  | { kind: 'withdraw'; invitation: Invitation }
  | null;

/** Who is in the account of who is signed in, and who is to come. */
export function PeoplePage() {
  const people = useQuery({ queryKey: ['people'], queryFn: fetchPeople });
  const mayChange = useMay('people:write');
  const { user } = useSession();
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  const refetch = () => void people.refetch();
  const actionsOf = (person: ListedPerson): MenuItem[] =>
    personMenu(['role', ...(mayReset(user, person) ? (['reset'] as const) : []), 'remove'], (act) =>
      setLayer({ kind: 'person', act, person }),
    );
  return (
    <Page
      title="People"
      hint="Who uses the gateway with you, and what they may do in this account."
      actions={
        mayChange && (
          <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'invite' })}>
            Invite somebody
          </Button>
        )
      }
    >
      <Loaded query={people}>
        {({ people: all, invitations }) => (
          <>
            <Card flush>
              <PeopleTable people={all} {...(mayChange && { actionsOf })} />
            </Card>
            {invitations.length > 0 && (
              <Card title="Invited" flush>
                <InvitationsTable
                  invitations={invitations}
                  mayChange={mayChange}
                  onWithdraw={(invitation) => setLayer({ kind: 'withdraw', invitation })}
                />
              </Card>
            )}
          </>
        )}
      </Loaded>
      {layer?.kind === 'invite' && <InviteDialog onClose={close} onInvited={refetch} />}
      {layer?.kind === 'person' && (
        <PersonDialog act={layer.act} person={layer.person} acts={ownPeople} onClose={close} onDone={refetch} />
      )}
      {layer?.kind === 'withdraw' && (
        <WithdrawDialog invitation={layer.invitation} onClose={close} onWithdrawn={refetch} />
      )}
    </Page>
  );
}

function WithdrawDialog({
  invitation,
  onClose,
  onWithdrawn,
}: {
  invitation: Invitation;
  onClose: () => void;
  onWithdrawn: () => void;
}) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Withdraw the invitation of ${invitation.email}?`}
      action="Withdraw"
      onConfirm={async () => {
        await withdrawInvitation(invitation.id);
        onWithdrawn();
      }}
    >
      Its link stops working. You can invite them again.
    </ConfirmDialog>
  );
}
