import { z } from 'zod/mini';
import type { NewBudget } from '../api/budgets';
import { modelsFrom } from '../keys/models-from';
import { atLimitShape, exceedingFrom } from './at-limit-fields';
import { checkLimit, limitFrom, limitRefusals, nameAndLimit } from './budget-form';

/** The windows that the dialog offers; `rolling` is of the last so many hours or days. */
export const windowChoices = {
  month: 'Each month',
  week: 'Each week, from Monday',
  day: 'Each day',
  hour: 'Each hour',
  rolling: 'The last hours or days',
  total: 'Once, in all',
} as const;

/** What the dialog is filled in with. */
export const newBudgetShape = z
  .object({
    account: z.string().check(z.trim(), z.minLength(1, 'Say whose it is.')),
    owner: z.enum(['account', 'key', 'project']),
    keyId: z.string(),
    project: z.string().check(z.trim()),
    share: z.enum(['together', 'end_user', 'tag']),
    names: z.string().check(z.trim()),
    ...nameAndLimit,
    window: z.enum(['month', 'week', 'day', 'hour', 'rolling', 'total']),
    length: z.string().check(z.trim()),
    timeZone: z.string().check(z.trim()),
    models: z.string(),
    ...atLimitShape,
  })
  .check(checkLimit);
export type NewBudgetValues = z.infer<typeof newBudgetShape>;

export const emptyBudget: NewBudgetValues = {
  ...{ account: '', owner: 'account', keyId: '', project: '', share: 'together', names: '*' },
  ...{ name: '', unit: 'usd', limit: '', window: 'month', length: '24h', timeZone: 'UTC', models: '' },
  ...{ atLimit: 'refuse', fallbackModel: '' },
};

/** Whether a window goes by a calendar, and so by a time zone. */
export const hasCalendar = (window: NewBudgetValues['window']): boolean => window !== 'rolling' && window !== 'total';

/** The fields at which refusals are told that name another. One of a window is told where it was chosen. */
export const fieldsOfRefusals = ({
  window,
}: Pick<NewBudgetValues, 'window'>): Readonly<Record<string, keyof NewBudgetValues>> => ({
  ...{ ...limitRefusals, accountId: 'account', 'each.names': 'names', each: 'names' },
  window: window === 'rolling' ? 'length' : 'window',
});

/** What is filled in, as the gateway takes it; it says what is wrong with a window, a zone or a pattern. */
export function toNewBudget(values: NewBudgetValues): NewBudget {
  const { account, owner, keyId, project, share, names, name, window, length, timeZone, models } = values;
  return {
    ...{ accountId: account, name, ...limitFrom(values) },
    ...(owner === 'key' && { keyId }),
    ...(owner === 'project' && { project }),
    window: window === 'rolling' ? length : window,
    timeZone: hasCalendar(window) ? timeZone || 'UTC' : 'UTC',
    models: modelsFrom(models),
    each: share === 'together' ? null : { by: share, names },
    ...exceedingFrom(values),
  };
}
