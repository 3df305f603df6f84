import { GatewayError } from '@tollgate/contracts';
import {
  account,
  accountRole,
  accountRow,
  accountsOperations,
  accountStatus,
  administrationOperations,
  member,
  memberOperations,
  peopleOperations,
  person,
  personRole,
  resetLink,
  secondFactorOperations,
  type SignedIn,
} from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { nothing, page, pageOf, param, route, type Asked } from '../route';

/** Requests for access, and who may do what. */
export const accountRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/accounts',
    access: 'administrator',
    summary: 'Accounts, newest first, by status and by a part of their name or address',
    query: z.strictObject({
      status: accountStatus.optional(),
      query: z.string().max(200).optional(),
      ...page(500, 50),
    }),
    answer: pageOf(accountRow),
    handle: async ({ query }, services) => {
      const { accounts, next } = await services.ask(administrationOperations.searchAccounts, query);
      return { data: accounts, next };
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/accounts/:id/status',
    access: 'administrator',
    summary: 'Approve, decline or suspend an account, and set its plan; its keys follow within a second',
    body: z.strictObject({ status: accountStatus, plan: z.string().min(1).max(100).optional() }),
    answer: z.object({ account }),
    handle: (asked, services) => {
      const request = { ...asked.body, account: param(asked, 'id'), actor: asked.signedIn.person.email };
      return services.ask(accountsOperations.setAccountStatus, request);
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/admin/accounts/:id/projects/:project',
    access: 'administrator',
    summary: 'Call a project of an account something else; its keys, budgets and own keys go with it',
    body: accountsOperations.renameProject.request.pick({ name: true }).strict(),
    answer: accountsOperations.renameProject.reply,
    handle: (asked, services) => {
      const [account, project] = [param(asked, 'id'), param(asked, 'project')];
      const request = { account, project, ...asked.body, actor: asked.signedIn.person.email };
      return services.ask(accountsOperations.renameProject, request);
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/accounts/:id/reset-links',
    access: 'administrator',
    summary: 'Make a link for each person of an account that sets a new password once; told this once',
    body: nothing,
    answer: z.object({ links: z.array(resetLink) }),
    status: 201,
    handle: (asked, services) =>
      services.ask(peopleOperations.makeResetLinks, {
        account: param(asked, 'id'),
        actor: asked.signedIn.person.email,
      }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/accounts/:id/role',
    access: 'administrator',
    summary: 'Make the people of an account administrators, or users again',
    body: z.strictObject({ role: personRole }),
    answer: z.object({ role: personRole }),
    handle: async (asked, services) => {
      const { role } = asked.body;
      const actor = asked.signedIn.person.email;
      await services.ask(peopleOperations.setRole, { account: param(asked, 'id'), role, actor });
      return { role };
    },
  }),
  route({
    method: 'GET',
    path: '/api/admin/accounts/:id/people',
    access: 'administrator',
    summary: 'The people of an account, in which role, and who of them has a second factor',
    answer: z.object({ people: z.array(member) }),
    handle: async (asked, services) => {
      const { people } = await services.ask(memberOperations.list, { account: param(asked, 'id') });
      return { people };
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/admin/accounts/:id/people/:personId',
    access: 'administrator',
    summary: 'Change what somebody is in their account',
    body: z.strictObject({ role: accountRole }),
    answer: memberOperations.setRole.reply,
    handle: (asked, services) => services.ask(memberOperations.setRole, { ...asked.body, ...ofPerson(asked) }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/accounts/:id/people/:personId/remove',
    access: 'administrator',
    summary: 'Remove somebody from their account: their sessions end, and their keys stop within a second',
    body: nothing,
    answer: memberOperations.remove.reply,
    handle: (asked, services) => services.ask(memberOperations.remove, ofPerson(asked)),
  }),
  route({
    method: 'POST',
    path: '/api/admin/accounts/:id/people/:personId/reset-second-factor',
    access: 'administrator',
    summary: 'Take the second factor from somebody who lost it; their sessions end, their password stays',
    body: nothing,
    answer: z.object({ person }),
    handle: (asked, services) => {
      const request = ofPerson(asked);
      // There it is proven first.
      if (request.personId === asked.signedIn.person.id)
        throw new GatewayError(400, 'Remove your own second factor in the settings.');
      return services.ask(secondFactorOperations.reset, request);
    },
  }),
];

/** Who of which account is meant, and who acts, for the gateway. */
function ofPerson(asked: Pick<Asked<SignedIn, unknown, unknown>, 'signedIn' | 'params'>) {
  return {
    account: param(asked, 'id'),
    personId: param(asked, 'personId'),
    actor: asked.signedIn.person.email,
  };
}
