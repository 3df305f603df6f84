import { longestAttributionName, metricsPeriods, sliceDimensions } from '@tollgate/contracts/metering';
import type { SliceDimension } from '@tollgate/contracts/metering';
import { z } from 'zod';

// Postgres cannot look for the NUL character, nor for halves of characters.
const name = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\0\ud800-\udfff]*$/u);
const only = (what: string) => name.optional().describe(`Restricts the report to what was used for this ${what}`);

/** What GET /api/metrics may be asked. */
export const metricsQuery = z.strictObject({
  calendar: z
    .literal('true')
    .optional()
    .describe("true, with period=month: since the first of the month (UTC), as the quota's window, instead of 30 days"),
  period: z
    .enum(metricsPeriods)
    .default('day')
    .describe('The window ends now and is 1 hour, 24 hours, 7 or 30 days long'),
  model: name
    .optional()
    .describe('A model id, or another name that generation takes for it; restricts the report to that model'),
  group_by: z
    .enum(sliceDimensions)
    .optional()
    .describe('Divides the report by it, too. It goes with no end_user, session, agent or tag, and of these goes one'),
  end_user: only('end user'),
  session: only('session'),
  agent: only('agent'),
  tag: only('tag'),
});
export type MetricsQuery = z.output<typeof metricsQuery>;

const counters = {
  requests: z.number().int().describe('Requests that reached a provider'),
  unpriced_requests: z.number().int().describe('Of these, those whose cost is not known and not in cost_usd'),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  total_tokens: z.number().int(),
  cost_usd: z.number().describe('US dollars, exact to the nano-dollar'),
};

/** A report divided by end user, and so on. */
const divided = (dimension: SliceDimension) =>
  z
    .array(z.object({ [dimension]: z.string(), ...counters }))
    .optional()
    .describe(
      `With group_by=${dimension}: the most costly first, at most 1,000, then (other), which is not told apart, and (none)`,
    );

/** The answer of GET /api/metrics. */
export const metricsAnswer = z.object({
  period: z.enum(metricsPeriods),
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  totals: z.object(counters),
  by_model: z
    .array(
      z.object({
        model: z.string(),
        ...counters,
        prices_as_of: z.iso
          .date()
          .optional()
          .describe('When its prices were taken from their source; absent: not known, or the operator set them'),
        prices_old: z.boolean().optional().describe('They were taken too long ago to be trusted'),
        prices_unconfirmed: z.boolean().optional().describe('They may be others: sources disagree'),
      }),
    )
    .describe('Sorted by cost, then id'),
  by_end_user: divided('end_user'),
  by_session: divided('session'),
  by_agent: divided('agent'),
  by_tag: divided('tag').describe(
    'With group_by=tag, as the others. What has several tags counts in each: not these together, but totals are the whole',
  ),
  not_told_apart: z
    .object(counters)
    .optional()
    .describe(
      'With end_user, session, agent or tag: what is not told apart, as there were too many names; some of it may be of this one. Absent: nothing',
    ),
});

/** What GET /v1/usage may be asked. */
export const usageQuery = z.strictObject({
  end_user: name.optional().describe('Whose parts of budgets stand among them that each end user has alone'),
  tag: name.max(longestAttributionName).optional().describe('The same of a tag'),
});
export type UsageQuery = z.output<typeof usageQuery>;

const budgetDollars = z.string().optional();
const budgetTokens = z.number().int().optional();

/** A budget, as those see it who spend it. Dollars are decimal strings: sums stay exact. */
const budgetStanding = z.object({
  name: z.string(),
  budget_of: z
    .string()
    .optional()
    .describe('The end user, or tag, that has this part alone; absent: it is not divided'),
  models: z.array(z.string()).optional().describe('Patterns of the models that alone count; absent: all do'),
  limit_usd: budgetDollars.describe('US dollars, as a decimal string; these four are of a budget in dollars'),
  spent_usd: budgetDollars.describe('In the window at hand, as far as usage is stored'),
  reserved_usd: budgetDollars.describe('Set aside for requests that run'),
  remaining_usd: budgetDollars.describe('Neither spent nor reserved; never below 0'),
  limit_tokens: budgetTokens.describe('Tokens of input and output; these four are of a budget in tokens'),
  spent_tokens: budgetTokens,
  reserved_tokens: budgetTokens,
  remaining_tokens: budgetTokens,
  resets_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'When the window ends; of one of the last hours or days, when the first of what is spent leaves it; null: never',
    ),
});

export type BudgetStanding = z.output<typeof budgetStanding>;

/** The answer of GET /v1/usage. */
export const usageAnswer = z.object({
  used: z.number().int().describe('Input and output tokens of this calendar month (UTC)'),
  quota: z.number().int().describe('9007199254740991 means unlimited'),
  remaining: z.number().int(),
  resets_at: z.iso.datetime().describe('The first instant of the next month (UTC)'),
  budgets: z
    .array(budgetStanding)
    .optional()
    .describe(
      'All that the key has to stay within; absent: none. Of one that each end user or tag has alone, the part of the one asked for; else, of a budget of this key alone, the 20 parts of which most is spent',
    ),
});
export type UsageAnswer = z.infer<typeof usageAnswer>;
