import { z } from 'zod';
import { mostProjectKeys } from '../accounts/projects';
import { operation } from '../operation';
import { text } from '../text';

/** A month of the calendar in UTC, as quotas and budgets of a month count them: `2026-11`. */
export const statementMonth = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month, such as 2026-11');

/** So many models are told apart in a statement: those that cost most. */
export const mostStatementModels = 100;
/** What stands for the other models. No model has this id. */
export const otherModels = '(other)';

/**
 * What was charged, without answers of the response cache, which cost nothing. `costNanoUsd` is a decimal
 * string of whole nano-dollars, without the `unpricedRequests`.
 */
const charged = {
  requests: z.number().int(),
  unpricedRequests: z.number().int(),
  inputTokens: z.number().int(),
  cachedInputTokens: z.number().int(),
  outputTokens: z.number().int(),
  costNanoUsd: z.string().regex(/^-?\d+$/),
};
const statementLine = z.object({ day: z.iso.date(), model: z.string(), ...charged });
export type StatementLine = z.infer<typeof statementLine>;
export type StatementSum = Omit<StatementLine, 'day' | 'model'>;

/**
 * What an account, or these keys of it, was charged in a month of the calendar. `startAt` and `endAt` are
 * epoch milliseconds. The lines are by day and model, in this order, and are together `total`, to the
 * nano-dollar.
 */
export const statement = z.object({
  month: statementMonth,
  startAt: z.number(),
  endAt: z.number(),
  total: z.object(charged),
  lines: z.array(statementLine),
});
export type Statement = z.infer<typeof statement>;

/** Metering answers, from the sums by hour. */
export const statementOperations = {
  read: operation(
    'metering.statements.read',
    z.object({
      accountId: text(256),
      keyIds: z.array(text(256)).max(mostProjectKeys).optional(),
      month: statementMonth,
    }),
    statement,
  ),
};
