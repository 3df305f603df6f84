import { useQuery } from '@tanstack/react-query';
import { accountRole } from '@tollgate/contracts';
import type { Invitation } from '@tollgate/contracts';
import { useState } from 'react';
import { changeRole, fetchPeople, removePerson, resetSecondFactor, withdrawInvitation } from '../api/people';
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
import { ResetFactorDialog } from './reset-factor-dialog';
import { RoleField } from './role-field';

/** What lies above the page, if anything. */
type Layer =
  | { kind: 'invite' }
  | { kind: 'role' | 'reset' | 'remove'; person: ListedPerson }
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
  const actionsOf = (person: ListedPerson): MenuItem[] => [
    { name: 'Change the role', icon: 'user', onSelect: () => setLayer({ kind: 'role', person }) },
    ...(mayReset(user, person)
      ? [
          {
            name: 'Reset the second factor',
            icon: 'shield',
            onSelect: () => setLayer({ kind: 'reset', person }),
          } as const,
        ]
      : []),
    { name: 'Remove', icon: 'trash', tone: 'bad', onSelect: () => setLayer({ kind: 'remove', person }) },
  ];
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
      {layer?.kind === 'role' && <ChangeRoleDialog person={layer.person} onClose={close} onChanged={refetch} />}
      {layer?.kind === 'reset' && (
        <ResetFactorDialog
          person={layer.person}
          reset={() => resetSecondFactor(layer.person.id)}
          onClose={close}
          onReset={refetch}
        />
      )}
      {layer?.kind === 'remove' && <RemoveDialog person={layer.person} onClose={close} onRemoved={refetch} />}
      {layer?.kind === 'withdraw' && (
        <WithdrawDialog invitation={layer.invitation} onClose={close} onWithdrawn={refetch} />
      )}
    </Page>
  );
}

function RemoveDialog({
  person,
  onClose,
  onRemoved,
}: {
  person: ListedPerson;
  onClose: () => void;
  onRemoved: () => void;
}) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Remove ${person.name}?`}
      action="Remove"
      onConfirm={async () => {
        await removePerson(person.id);
        onRemoved();
      }}
    >
      {person.email} is signed out at once.{' '}
      {person.keys > 0
        ? `${person.keys === 1 ? 'One key' : `${person.keys} keys`} of theirs stop within a second: programs that use them are refused.`
        : 'No key of theirs is in use.'}{' '}
      What they used stays in the reports.
    </ConfirmDialog>
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

function ChangeRoleDialog({
  person,
  onClose,
  onChanged,
}: {
  person: ListedPerson;
  onClose: () => void;
  onChanged: () => void;
}) {
  const [role, setRole] = useState(person.accountRole);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`The role of ${person.name}`}
      action="Change the role"
      tone="primary"
      onConfirm={async () => {
        await changeRole(person.id, role);
        onChanged();
      }}
    >
      <RoleField role={role} onChange={({ target }) => setRole(accountRole.parse(target.value))} />
    </ConfirmDialog>
  );
}
