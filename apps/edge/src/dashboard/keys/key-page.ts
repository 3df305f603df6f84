import { accountsOperations, keySummary, reportOperations } from '@tollgate/contracts';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';

/**
 * A key in a list. `usedTokens` is of the current month, `lastUsedAt` null for never; absent while metering
 * does not answer.
 */
const listedKey = keySummary.extend({
  usedTokens: z.number().int().optional(),
  lastUsedAt: z.number().nullable().optional(),
});

/**
 * One page of keys. `resetsAt` is the first instant of the next month (UTC), epoch milliseconds; absent as
 * `usedTokens` is.
 */
export const keyPage = z.object({
  data: z.array(listedKey),
  next: z.string().nullable(),
  resetsAt: z.number().optional(),
});

/** Reads a page of keys with what each has used; without that while metering is away. */
export async function readKeyPage(
  services: DashboardServices,
  request: {
    accountId?: string | undefined;
    endsBy?: number | undefined;
    limit: number;
    after?: string | undefined;
  },
): Promise<z.infer<typeof keyPage>> {
  const { keys, next } = await services.ask(accountsOperations.listKeys, request);
  if (keys.length === 0) return { data: [], next };
  const used = await services.askIfThere(reportOperations.usedTokens, { keyIds: keys.map(({ id }) => id) });
  if (!used) return { data: keys, next };
  const data = keys.map((key) => ({
    ...key,
    usedTokens: used.used[key.id] ?? 0,
    lastUsedAt: used.lastUsedAt[key.id] ?? null,
  }));
  return { data, next, resetsAt: used.resetsAt };
}
