import { adminRoute } from './admin-route';
import { adminTokenOperations } from '../accounts/admin-tokens';
import { contentLogOperations } from '../metering/content-log';
import { importOperations } from '../accounts/imports';
import { ledgerOperations } from '../metering/ledger';
import { meteringOperations } from '../metering/metering';
import { peopleOperations } from '../accounts/people';
import { priceOperations } from '../catalog/price-import';

/** These read, or write, much; what stands between a caller and a gateway often gives up after a minute. */
const muchTimeoutMs = 55_000;
/** A part of a large log takes its time. */
const partTimeoutMs = 30_000;
/** What one message to a service holds, with room for what is around it. */
const mostBytes = 900_000;

const tokenRoutes = [
  adminRoute({
    method: 'GET',
    path: '/tokens',
    scope: 'tokens:read',
    summary: 'Tokens of this API and of directories, the newest first, also those that work no more; never the token',
    operation: adminTokenOperations.list,
    list: 'tokens',
  }),
  adminRoute({
    method: 'POST',
    path: '/tokens',
    scope: 'tokens:write',
    summary:
      'Make a token with scopes of the one that asks, which ends with it at the latest and is revoked with it; it is told this once',
    operation: adminTokenOperations.createUnder,
    also: [adminTokenOperations.create],
    hidden: ['under'],
    status: 201,
    mayConflict: true,
  }),
  adminRoute({
    method: 'POST',
    path: '/tokens/:tokenId/revoke',
    scope: 'tokens:write',
    summary: 'Have a token, and those that it made, open nothing from now on',
    operation: adminTokenOperations.revoke,
  }),
];

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What people said, and what was written to them. Whose texts they are edge adds to what is written down. */
const textRoutes = [
  adminRoute({
    method: 'GET',
    path: '/texts/:id/facts',
    scope: 'texts:read',
    summary: 'What is known of a logged request, without its text, by the id of its event or its own (the newest)',
    operation: contentLogOperations.find,
    hidden: ['accountId'],
  }),
  adminRoute({
    method: 'GET',
    path: '/texts/:id',
    scope: 'texts:read',
    summary: 'A logged request and its answer, by the id of its event; the audit log of its account keeps who read it',
    operation: contentLogOperations.read,
    hidden: ['accountId'],
    act: ({ id }) => ({ action: 'content-read', detail: { eventId: text(id) } }),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/texts/:id',
    scope: 'texts:write',
    summary: 'Remove the text of a logged request and of its answer for good',
    operation: contentLogOperations.remove,
    hidden: ['accountId'],
    act: ({ id }) => ({ action: 'content-removed', detail: { eventId: text(id) } }),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/keys/:keyId/texts',
    scope: 'texts:write',
    summary: 'Remove everything that was logged of a key for good; while `isDone` is false there is more',
    operation: contentLogOperations.removeOfKey,
    hidden: ['accountId'],
    act: ({ keyId }) => ({ action: 'content-removed', detail: { keyId: text(keyId) } }),
    timeoutMs: partTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/mails',
    scope: 'mails:read',
    summary:
      'Mails to people, the newest first; those that were not sent with their links, which let in whoever has them',
    operation: peopleOperations.listMails,
    list: 'mails',
    act: () => ({ action: 'mails-read', detail: {} }),
  }),
];

const ledgerRoutes = [
  adminRoute({
    method: 'POST',
    path: '/usage/recount',
    scope: 'usage:write',
    summary: 'Count the events of a key (absent: of all) again, and say where the reports differ from them',
    operation: meteringOperations.recount,
    act: () => null,
    timeoutMs: muchTimeoutMs,
  }),
  adminRoute({
    method: 'POST',
    path: '/usage/replay',
    scope: 'usage:write',
    summary:
      'Store again what the database lost and JetStream keeps, each once, step by step: `next` is the next `from`',
    operation: ledgerOperations.replayUsage,
    act: ({ sinceMs, from }) => ({
      action: 'usage-replayed',
      detail: { since: Number(sinceMs), from: typeof from === 'number' ? from : null },
    }),
    timeoutMs: muchTimeoutMs,
  }),
  adminRoute({
    method: 'POST',
    path: '/usage/sweep',
    scope: 'usage:write',
    summary: 'Compare reservations that ended with events, and name those without; with `forget` forget them',
    operation: ledgerOperations.sweep,
    act: ({ forget }) => (forget === true ? { action: 'reservations-forgotten', detail: {} } : null),
    timeoutMs: partTimeoutMs,
  }),
];

const importRoutes = [
  adminRoute({
    method: 'POST',
    path: '/prices/import',
    scope: 'config:write',
    summary: 'Say how price sheets differ from the prices in force; with `apply` put them in force from now on',
    operation: priceOperations.importPrices,
    act: ({ apply, source, prices }) =>
      apply === true
        ? {
            action: 'prices-imported',
            detail: { source: text(source), models: Array.isArray(prices) ? prices.length : null },
          }
        : null,
    timeoutMs: muchTimeoutMs,
    mostBytes,
  }),
  adminRoute({
    method: 'POST',
    path: '/imports/accounts',
    scope: 'imports:write',
    summary:
      'Take over an account of another gateway with keys, by their SHA-256, and budgets; what is there already stays as it is',
    operation: importOperations.take,
    timeoutMs: muchTimeoutMs,
    mostBytes,
  }),
];

/** What operators do who keep the gateway: tokens, logged texts, mails, the ledger, and imports. */
export const adminOperatorRoutes = [...tokenRoutes, ...textRoutes, ...ledgerRoutes, ...importRoutes];
