import { z } from 'zod';
import { setFactorOperations, setPriceOperations } from '@tollgate/contracts/catalog';
import { invoiceOperations } from '@tollgate/contracts/metering';
import { route } from '../route';
import { doRecorded } from './record-act';

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

const { list, history, set, withdraw } = setPriceOperations;
const factors = setFactorOperations;
const older = z.strictObject({ after: z.string().max(100).optional() });

/** What models cost that an operator says something of, and what deployments do beside that. */
export const priceRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/prices',
    access: 'administrator',
    summary: 'What models cost of which an operator says it, who does, and what is to come',
    query: z.strictObject({ model: z.string().max(200).optional() }),
    answer: list.reply,
    handle: ({ query }, services) => services.ask(list, query),
  }),
  route({
    method: 'GET',
    path: '/api/admin/prices/history',
    access: 'administrator',
    summary: 'Prices that were set, who, when and why, the newest first; those that were taken back too',
    query: older,
    answer: history.reply,
    handle: ({ query }, services) => services.ask(history, { ...query, limit: 50 }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/prices',
    access: 'administrator',
    summary: 'Set what a model costs from an instant on, as a whole; `dryRun` only looks',
    body: set.request.omit({ by: true }),
    answer: set.reply,
    handle: ({ body, signedIn }, services) => doRecorded(set, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/prices/withdraw',
    access: 'administrator',
    summary: 'Take a price back that is to begin in more than five minutes: it never was',
    body: withdraw.request.omit({ by: true }),
    answer: withdraw.reply,
    handle: ({ body, signedIn }, services) => doRecorded(withdraw, body, signedIn, services),
  }),
  route({
    method: 'GET',
    path: '/api/admin/price-factors',
    access: 'administrator',
    summary: 'Discounts and markups of deployments, who says them, and what is to come',
    answer: factors.list.reply,
    handle: (_asked, services) => services.ask(factors.list, {}),
  }),
  route({
    method: 'GET',
    path: '/api/admin/price-factors/history',
    access: 'administrator',
    summary: 'Discounts and markups that were set, who, when and why, the newest first',
    query: older,
    answer: factors.history.reply,
    handle: ({ query }, services) => services.ask(factors.history, { ...query, limit: 50 }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/price-factors',
    access: 'administrator',
    summary: 'Set the discount and the markup of a deployment from an instant on; `dryRun` only looks',
    body: factors.set.request.omit({ by: true }),
    answer: factors.set.reply,
    handle: ({ body, signedIn }, services) => doRecorded(factors.set, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/price-factors/withdraw',
    access: 'administrator',
    summary: 'Take back a discount and a markup that are to begin in more than five minutes',
    body: factors.withdraw.request.omit({ by: true }),
    answer: factors.withdraw.reply,
    handle: ({ body, signedIn }, services) => doRecorded(factors.withdraw, body, signedIn, services),
  }),
];
