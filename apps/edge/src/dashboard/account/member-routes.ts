import {
  accountRole,
  emailAddress,
  invitation,
  invitationWay,
  mayInAccount,
  member,
  memberOperations,
  newPassword,
  person,
  personName,
  secondFactorOperations,
  type SignedIn,
} from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { me, open } from '../auth/me';
import { nothing, param, route } from '../route';

const token = z.string().min(1).max(200);
const toldPerson = z.object({ person: person.omit({ accountId: true }) });

/** The people of the account of who is signed in, and how others come in. */
export const memberRoutes = [
  route({
    method: 'GET',
    path: '/api/people',
    access: 'people:read',
    summary: 'The people of your account, in which role, and who is invited',
    answer: z.object({ people: z.array(member.omit({ accountId: true })), invitations: z.array(invitation) }),
    handle: async ({ signedIn }, services) => {
      const { people, invitations } = await services.ask(memberOperations.list, { account: signedIn.account.id });
      // Whose account is open to a password alone is for those who look after it.
      const isTold = mayInAccount(signedIn.person.accountRole, 'people:write');
      const told = people.map(({ accountId: _, hasSecondFactor, ...one }) =>
        isTold ? { ...one, hasSecondFactor } : one,
      );
      return { people: told, invitations };
    },
  }),
  route({
    method: 'POST',
    path: '/api/people/invitations',
    access: 'people:write',
    isDoneOnce: true,
    summary: 'Invite an address into your account, by mail or by a link that is told this once',
    body: z.strictObject({ email: emailAddress, role: accountRole, way: invitationWay }),
    answer: z.object({ invitation, link: z.string().nullable() }),
    status: 201,
    handle: ({ body, signedIn, once }) => once(memberOperations.invite, { ...body, ...acting(signedIn) }),
  }),
  route({
    method: 'POST',
    path: '/api/people/invitations/:id/withdraw',
    access: 'people:write',
    summary: 'Withdraw an invitation; its link stops working',
    body: nothing,
    answer: z.object({ invitation }),
    handle: (asked, services) =>
      services.ask(memberOperations.withdraw, { invitationId: param(asked, 'id'), ...acting(asked.signedIn) }),
  }),
  route({
    method: 'PATCH',
    path: '/api/people/:id',
    access: 'people:write',
    summary: 'Change what somebody is in your account',
    body: z.strictObject({ role: accountRole }),
    answer: toldPerson,
    handle: async (asked, services) => {
      const request = { ...asked.body, personId: param(asked, 'id'), ...acting(asked.signedIn) };
      return withoutAccountId(await services.ask(memberOperations.setRole, request));
    },
  }),
  route({
    method: 'POST',
    path: '/api/people/:id/remove',
    access: 'people:write',
    summary: 'Remove somebody from your account: their sessions end, and their keys stop within a second',
    body: nothing,
    answer: toldPerson.extend({ revokedKeys: z.number().int() }),
    handle: async (asked, services) => {
      const request = { personId: param(asked, 'id'), ...acting(asked.signedIn) };
      const { revokedKeys, ...told } = await services.ask(memberOperations.remove, request);
      return { ...withoutAccountId(told), revokedKeys };
    },
  }),
  route({
    method: 'POST',
    path: '/api/people/:id/reset-second-factor',
    access: 'people:write',
    summary: 'Take the second factor from somebody of your account who lost it; their sessions end',
    body: nothing,
    answer: toldPerson,
    handle: async (asked, services) => {
      const request = { personId: param(asked, 'id'), ...acting(asked.signedIn) };
      return withoutAccountId(await services.ask(secondFactorOperations.reset, request));
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/invitation',
    access: 'anyone',
    summary: 'What the link of an invitation invites to',
    body: z.strictObject({ token }),
    answer: memberOperations.invited.reply,
    handle: ({ body }, services) => services.ask(memberOperations.invited, body),
  }),
  route({
    method: 'POST',
    path: '/api/auth/join',
    access: 'anyone',
    summary: 'Take an invitation with a name and a password, and sign in',
    body: z.strictObject({ token, name: personName, password: newPassword }),
    answer: me,
    handle: async ({ body, client, cookie }, services) =>
      open(await services.ask(memberOperations.join, { ...body, ...client }), cookie, services),
  }),
];

/** Who acts, and on which account. */
function acting({ person: { id, email }, account }: SignedIn) {
  return { account: account.id, by: id, actor: email };
}

function withoutAccountId({ person: { accountId: _, ...told } }: { person: SignedIn['person'] }) {
  return { person: told };
}
