import { adminRoute } from './admin-route';
import { invoiceOperations } from '../metering/bills';
import { ledgerOperations } from '../metering/ledger';
import { refusalOperations } from '../metering/refusals';
import { reportOperations } from '../metering/reports';

/**
 * For how long answers are waited for that read many events: by hand they may take longer, but what stands
 * between a caller and a gateway often gives up after a minute.
 */
const manyEventsTimeoutMs = 55_000;
const billsTimeoutMs = 30_000;

/** What was used, and what providers bill for it. */
export const adminUsageRoutes = [
  adminRoute({
    method: 'GET',
    path: '/usage/series',
    scope: 'usage:read',
    summary: 'Requests, tokens, cost and times of everybody, of an account or of keys, over a window, in steps',
    operation: reportOperations.series,
    // It is for services only; callers get points.
    hidden: ['inColumns'],
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
    path: '/usage/days',
    scope: 'usage:read',
    summary: 'What each key used of each model at each provider on each day (UTC), for exports',
    operation: reportOperations.days,
    list: 'days',
    timeoutMs: manyEventsTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/requests',
    scope: 'usage:read',
    summary: 'Single requests that ended in a window, the newest first, without their text',
    operation: reportOperations.listRequests,
    list: 'requests',
    // Who looks for words in what others said reads it, which is written down.
    hidden: ['said'],
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/requests/:id/charge',
    scope: 'usage:read',
    summary: 'The charge of one request, line by line, by its own id or that of its event',
    operation: ledgerOperations.explain,
    timeoutMs: manyEventsTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/usage/failures',
    scope: 'usage:read',
    summary: 'Why requests failed, by cause',
    operation: reportOperations.failures,
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
    timeoutMs: billsTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/bills/requests',
    scope: 'bills:read',
    summary: 'The requests behind a line that differs, those that differ most first',
    operation: invoiceOperations.requests,
    timeoutMs: manyEventsTimeoutMs,
  }),
];
