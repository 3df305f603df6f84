import { accountsOperations } from '../accounts/accounts';
import { adminRoute } from './admin-route';
import { webhookOperations } from '../accounts/alerts';
import { budgetLeaseOperations, budgetOperations } from '../metering/budgets';
import { givenKey } from './admin-provider-routes';
import { memberOperations } from '../accounts/members';
import { ownKeyOperations } from '../accounts/own-keys';
import { administrationOperations, peopleOperations } from '../accounts/people';
import { secondFactorOperations } from '../accounts/second-factor';

const { createKey, getKey, listKeys, renameProject, revokeKey, rotateKey, updateKey } = accountsOperations;
/** An administrator names a key by its id alone. */
const hidden = ['accountId', 'personId'];

const keyRoutes = [
  adminRoute({
    method: 'GET',
    path: '/keys',
    scope: 'keys:read',
    summary: 'API keys, the newest first: all, or those of one account, or those that work and end by a time',
    operation: listKeys,
    list: 'keys',
  }),
  adminRoute({
    method: 'GET',
    path: '/keys/:keyId',
    scope: 'keys:read',
    summary: 'One API key',
    operation: getKey,
    hidden,
  }),
  adminRoute({
    method: 'POST',
    path: '/keys',
    scope: 'keys:write',
    summary: 'Make an API key for an account, by its id or address, or for the operator’s own; it is told this once',
    operation: createKey,
    hidden: ['personId'],
    status: 201,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/keys/:keyId',
    scope: 'keys:write',
    summary: 'Change name, plan, limits, models, expiry and settings of an API key; what is absent stays',
    operation: updateKey,
    hidden,
  }),
  adminRoute({
    method: 'POST',
    path: '/keys/:keyId/rotate',
    scope: 'keys:write',
    summary: 'Replace an API key; the old one stops after `overlapS` seconds',
    operation: rotateKey,
    hidden,
  }),
  adminRoute({
    method: 'POST',
    path: '/keys/:keyId/revoke',
    scope: 'keys:write',
    summary: 'Stop an API key for good, on every edge within a second',
    operation: revokeKey,
    hidden,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/accounts/:account/projects/:project',
    scope: 'keys:write',
    summary: 'Call a project of an account something else: its keys, its budgets and its keys of providers',
    operation: renameProject,
  }),
];

const accountRoutes = [
  adminRoute({
    method: 'GET',
    path: '/accounts',
    scope: 'accounts:read',
    summary: 'Accounts, the newest first, by status (`pending`: requests for access) and a part of name or address',
    operation: administrationOperations.searchAccounts,
    also: [accountsOperations.listAccounts],
    list: 'accounts',
  }),
  adminRoute({
    method: 'POST',
    path: '/accounts',
    scope: 'accounts:write',
    summary: 'Make an account, which waits for approval',
    operation: accountsOperations.requestAccess,
    status: 201,
  }),
  adminRoute({
    method: 'POST',
    path: '/accounts/:account/status',
    scope: 'accounts:write',
    summary: 'Approve, decline or suspend an account, by its id or address, and set its plan; its keys follow',
    operation: accountsOperations.setAccountStatus,
  }),
  adminRoute({
    method: 'POST',
    path: '/accounts/:account/role',
    scope: 'people:write',
    summary: 'Make the owners of an account administrators of the gateway, or all of its people users again',
    operation: peopleOperations.setRole,
  }),
  adminRoute({
    method: 'POST',
    path: '/accounts/:account/reset-links',
    scope: 'people:write',
    summary: 'Make a link that sets a new password once, for one person of an account, or for each',
    operation: peopleOperations.makeResetLinks,
    status: 201,
  }),
  adminRoute({
    method: 'GET',
    path: '/plans',
    scope: 'accounts:read',
    summary: 'The plans, with their limits; null: none',
    operation: administrationOperations.listPlans,
  }),
  adminRoute({
    method: 'GET',
    path: '/audit',
    scope: 'audit:read',
    summary: 'The audit log, the newest first; it only grows',
    operation: administrationOperations.listAudit,
    list: 'lines',
  }),
];

const memberRoutes = [
  adminRoute({
    method: 'GET',
    path: '/accounts/:account/people',
    scope: 'people:read',
    summary: 'Who is of an account, in which role, and who is invited',
    operation: memberOperations.list,
  }),
  adminRoute({
    method: 'POST',
    path: '/accounts/:account/invitations',
    scope: 'people:write',
    summary: 'Invite an address into an account, by mail or by a link that is told this once',
    operation: memberOperations.invite,
    status: 201,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/accounts/:account/invitations/:invitationId',
    scope: 'people:write',
    summary: 'Withdraw an invitation; its link stops working',
    operation: memberOperations.withdraw,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/accounts/:account/people/:personId',
    scope: 'people:write',
    summary: 'Change what somebody is in an account',
    operation: memberOperations.setRole,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/accounts/:account/people/:personId',
    scope: 'people:write',
    summary: 'Remove somebody from an account: their sessions end, and their keys stop on every edge within a second',
    operation: memberOperations.remove,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/accounts/:account/people/:personId/second-factor',
    scope: 'people:write',
    summary: 'Take the second factor from somebody who lost it; their sessions end, their password stays',
    operation: secondFactorOperations.reset,
  }),
];

const givenOwnKey = givenKey.safeExtend({ fallsBack: ownKeyOperations.set.request.shape.fallsBack });

const ownKeyRoutes = [
  adminRoute({
    method: 'GET',
    path: '/accounts/:account/own-keys',
    scope: 'accounts:read',
    summary:
      'Keys of providers that an account brought, by their last four characters, and what others are sealed with',
    operation: ownKeyOperations.list,
  }),
  adminRoute({
    method: 'PUT',
    path: '/accounts/:account/own-keys/:provider',
    scope: 'own-keys:write',
    summary: 'Give a key of a provider for an account, in the place of the one before; nothing tells it again',
    operation: ownKeyOperations.set,
    given: givenOwnKey,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/accounts/:account/own-keys/:provider',
    scope: 'own-keys:write',
    summary: 'Choose whether requests go on with the operator’s key where the provider refuses that of an account',
    operation: ownKeyOperations.change,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/accounts/:account/own-keys/:provider',
    scope: 'own-keys:write',
    summary:
      'Remove a key that an account brought, for good; its requests go with the operator’s within a second, or, where there is none, its models are not there any more',
    operation: ownKeyOperations.remove,
  }),
  adminRoute({
    method: 'PUT',
    path: '/accounts/:account/projects/:project/own-keys/:provider',
    scope: 'own-keys:write',
    summary:
      'Give a key of a provider for the API keys of a project: their requests go with it in the place of that of the account',
    operation: ownKeyOperations.setForProject,
    given: givenOwnKey,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/accounts/:account/projects/:project/own-keys/:provider',
    scope: 'own-keys:write',
    summary: 'Choose the same of the key of a project',
    operation: ownKeyOperations.changeForProject,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/accounts/:account/projects/:project/own-keys/:provider',
    scope: 'own-keys:write',
    summary:
      'Remove a key that an account brought for a project, for good; its requests go with that of the account, or else with the operator’s, and where there is neither, its models are not there any more',
    operation: ownKeyOperations.removeForProject,
  }),
];

const budgetRoutes = [
  adminRoute({
    method: 'GET',
    path: '/budgets',
    scope: 'budgets:read',
    summary: 'Budgets, the newest first: all, or those of one account',
    operation: budgetOperations.list,
    list: 'budgets',
  }),
  adminRoute({
    method: 'GET',
    path: '/budgets/states',
    scope: 'budgets:read',
    summary: 'What is spent of budgets, and held, by their ids',
    operation: budgetLeaseOperations.states,
  }),
  adminRoute({
    method: 'GET',
    path: '/budgets/:budgetId',
    scope: 'budgets:read',
    summary: 'One budget',
    operation: budgetOperations.find,
  }),
  adminRoute({
    method: 'GET',
    path: '/budgets/:budgetId/names',
    scope: 'budgets:read',
    summary: 'How names stand of a budget that each has alone: those asked for, or those nearest to the limit',
    operation: budgetLeaseOperations.names,
    hidden: ['keyId'],
  }),
  adminRoute({
    method: 'GET',
    path: '/budgets/:budgetId/windows',
    scope: 'budgets:read',
    summary: 'What was spent of a budget in its last calendar windows',
    operation: budgetLeaseOperations.windows,
  }),
  adminRoute({
    method: 'GET',
    path: '/budgets/:budgetId/notices',
    scope: 'budgets:read',
    summary: 'Of which thresholds of a budget people were told, and when',
    operation: budgetOperations.notices,
  }),
  adminRoute({
    method: 'POST',
    path: '/budgets',
    scope: 'budgets:write',
    summary: 'Set how much an account, or one of its keys, may spend; edges keep to it within a second',
    operation: budgetOperations.create,
    status: 201,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/budgets/:budgetId',
    scope: 'budgets:write',
    summary: 'Change name or limit of a budget, or what happens at it; what is spent stays',
    operation: budgetOperations.update,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/budgets/:budgetId',
    scope: 'budgets:write',
    summary: 'Remove a budget; what it held back is free within a second',
    operation: budgetOperations.remove,
  }),
];

const webhookRoutes = [
  adminRoute({
    method: 'GET',
    path: '/webhooks',
    scope: 'webhooks:read',
    summary: 'Where alerts are sent',
    operation: webhookOperations.list,
  }),
  adminRoute({
    method: 'GET',
    path: '/webhooks/deliveries',
    scope: 'webhooks:read',
    summary: 'Alerts that were sent in the last 30 days, or are to be sent, the newest first',
    operation: webhookOperations.deliveries,
    list: 'deliveries',
  }),
  adminRoute({
    method: 'POST',
    path: '/webhooks',
    scope: 'webhooks:write',
    summary: 'Send alerts to an address; the secret that deliveries are signed with (none of a mail) is told this once',
    operation: webhookOperations.create,
    status: 201,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/webhooks/:webhookId',
    scope: 'webhooks:write',
    summary: 'Change name or alerts of a webhook, pause or resume it; what is absent stays',
    operation: webhookOperations.update,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/webhooks/:webhookId',
    scope: 'webhooks:write',
    summary: 'Send no alerts there any more',
    operation: webhookOperations.remove,
  }),
  adminRoute({
    method: 'POST',
    path: '/webhooks/:webhookId/test',
    scope: 'webhooks:write',
    summary: 'Send an alert that says that it is a test',
    operation: webhookOperations.test,
  }),
];

/** What accounts answers, but for what is spent of budgets. */
export const adminAccountRoutes = [
  ...[...keyRoutes, ...accountRoutes, ...memberRoutes, ...ownKeyRoutes, ...budgetRoutes],
  ...webhookRoutes,
];
