import { invoiceOperations } from '@tollgate/contracts';
import { z } from 'zod';
import { route } from '../route';

/** Every event of the day is read. */
const requestsTimeoutMs = 60_000;

/** What providers bill, beside what our prices make of the same days. */
export const billRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/bills',
    access: 'administrator',
    summary: "The providers' bills from one day to another (92 at most), line by line beside ours",
    query: z.strictObject(invoiceOperations.drift.request.pick({ from: true, to: true }).shape),
    answer: invoiceOperations.drift.reply,
    handle: ({ query }, services) => services.ask(invoiceOperations.drift, query),
  }),
  route({
    method: 'GET',
    path: '/api/admin/bills/requests',
    access: 'administrator',
    summary: 'The requests behind a line that differs, those that differ most first',
    query: z.strictObject(invoiceOperations.requests.request.shape),
    answer: invoiceOperations.requests.reply,
    handle: ({ query }, services) => services.ask(invoiceOperations.requests, query, { timeoutMs: requestsTimeoutMs }),
  }),
];
