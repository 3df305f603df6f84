import { accountsOperations } from './accounts';
import { adminRoute, type AdminRoute } from './admin-route';
import { webhookOperations } from './alerts';
import { invoiceOperations } from './bills';
import { budgetLeaseOperations, budgetOperations } from './budgets';
import { catalogOperations } from './catalog-operations';
import { ledgerOperations } from './ledger';
import { administrationOperations, peopleOperations } from './people';
import { inferenceOperations, providerOperations } from './provider-check';
import { refusalOperations } from './refusals';
import { reportOperations } from './reports';

const { createKey, getKey, listKeys, revokeKey, rotateKey, updateKey } = accountsOperations;
/** An administrator names a key by its id alone. */
const hidden = ['accountId'];

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
    status: 201,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/keys/:keyId',
    scope: 'keys:write',
    summary: 'Change plan, limits, models, expiry and settings of an API key; what is absent stays',
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
    summary: 'Make the people of an account administrators of the dashboard, or users again',
    operation: peopleOperations.setRole,
  }),
  adminRoute({
    method: 'POST',
    path: '/accounts/:account/reset-links',
    scope: 'people:write',
    summary: 'Make a link for each person of an account that sets a new password once',
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

/** Every event of the day is read. */
const billTimeoutMs = 60_000;

const usageRoutes = [
  adminRoute({
    method: 'GET',
    path: '/usage/series',
    scope: 'usage:read',
    summary: 'Requests, tokens, cost and times of everybody, of an account or of keys, over a window, in steps',
    operation: reportOperations.series,
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/slices',
    scope: 'usage:read',
    summary: 'Requests, tokens and cost of an account or of keys by end user, session, agent or tag',
    operation: reportOperations.slices,
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/requests',
    scope: 'usage:read',
    summary: 'Single requests that ended in a window, the newest first, without their text',
    operation: reportOperations.listRequests,
    list: 'requests',
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/requests/:id/charge',
    scope: 'usage:read',
    summary: 'The charge of one request, line by line, by its own id or that of its event',
    operation: ledgerOperations.explain,
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/refusals',
    scope: 'usage:read',
    summary: 'Requests that were refused before a provider was asked, by cause',
    operation: refusalOperations.list,
  }),
  adminRoute({
    method: 'GET',
    path: '/bills',
    scope: 'bills:read',
    summary: 'The bills of providers from one day to another (92 at most), line by line beside ours',
    operation: invoiceOperations.drift,
  }),
  adminRoute({
    method: 'GET',
    path: '/bills/requests',
    scope: 'bills:read',
    summary: 'The requests behind a line that differs, those that differ most first',
    operation: invoiceOperations.requests,
    timeoutMs: billTimeoutMs,
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
    summary: 'Send alerts to an address; the secret that deliveries are signed with is told this once',
    operation: webhookOperations.create,
    status: 201,
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

/** The audit log's word for what an operator does with a deployment. */
const holdActions = new Map<unknown, string>([
  ['open', 'deployment-opened'],
  ['draining', 'deployment-drained'],
  ['closed', 'deployment-closed'],
]);
/** A model may have to be loaded for its token. */
const checkTimeoutMs = 90_000;
const toldOf = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

const fleetRoutes = [
  adminRoute({
    method: 'POST',
    path: '/models/switch',
    scope: 'models:write',
    summary: 'Switch a model off, for everybody and also as a fallback, or on again',
    operation: catalogOperations.setModelEnabled,
    act: ({ model, enabled }) => ({
      action: enabled === true ? 'model-enabled' : 'model-disabled',
      detail: { model: toldOf(model) },
    }),
  }),
  adminRoute({
    method: 'POST',
    path: '/deployments/hold',
    scope: 'deployments:write',
    summary: 'Close a deployment, drain it, or open it again, at every inference instance',
    operation: catalogOperations.holdDeployment,
    act: ({ deployment, state, reason, forS }) => ({
      action: holdActions.get(state) ?? 'deployment-held',
      detail: { deployment: toldOf(deployment), reason: toldOf(reason), forS: toldOf(forS) },
    }),
  }),
  adminRoute({
    method: 'POST',
    path: '/providers/check',
    scope: 'providers:write',
    summary: 'Ask a provider (null: all) for its models and one token, and say what is wrong',
    operation: providerOperations.check,
    also: [inferenceOperations.checkProviders],
    act: ({ provider }) => ({ action: 'provider-checked', detail: { provider: toldOf(provider) } }),
    timeoutMs: checkTimeoutMs,
  }),
  adminRoute({
    method: 'POST',
    path: '/providers/look',
    scope: 'providers:write',
    summary: 'Read a provider’s own list of models (null: all lists) now',
    operation: providerOperations.look,
    also: [inferenceOperations.lookForModels],
    act: ({ provider }) => ({ action: 'provider-looked-at', detail: { provider: toldOf(provider) } }),
    timeoutMs: checkTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/dead-letters',
    scope: 'dead-letters:read',
    summary: 'Usage that could not be stored, the oldest first',
    operation: ledgerOperations.listDeadLetters,
    list: 'letters',
  }),
  adminRoute({
    method: 'GET',
    path: '/dead-letters/:sequence',
    scope: 'dead-letters:read',
    summary: 'One of them with its body',
    operation: ledgerOperations.showDeadLetter,
  }),
  adminRoute({
    method: 'POST',
    path: '/dead-letters/:sequence/replay',
    scope: 'dead-letters:write',
    summary: 'Store the events of it that can be read now, each once',
    operation: ledgerOperations.replayDeadLetter,
    act: ({ sequence }) => ({ action: 'dead-letter-replayed', detail: { sequence: toldOf(sequence) } }),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/dead-letters/:sequence',
    scope: 'dead-letters:write',
    summary: 'Remove one for good',
    operation: ledgerOperations.dropDeadLetter,
    act: ({ sequence }) => ({ action: 'dead-letter-dropped', detail: { sequence: toldOf(sequence) } }),
  }),
];

/** Every route of the admin API. */
export const adminRoutes: readonly AdminRoute[] = [
  ...keyRoutes,
  ...accountRoutes,
  ...budgetRoutes,
  ...usageRoutes,
  ...webhookRoutes,
  ...fleetRoutes,
];

/** The route by which an operation is asked over HTTP; undefined: there is none. */
export function adminRouteOf(subject: string): AdminRoute | undefined {
  return adminRoutes.find(({ subjects }) => subjects.includes(subject));
}
