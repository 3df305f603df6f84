import { accountsOperations, keySummary, type KeySummary } from '@tollgate/contracts/accounts';
import { reportOperations } from '@tollgate/contracts/metering';
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
 * `usedTokens` is. `useUnknown`: metering did not say what they used, so nobody knows which of them sleep.
 */
export const keyPage = z.object({
  data: z.array(listedKey),
  next: z.string().nullable(),
  resetsAt: z.number().optional(),
  useUnknown: z.literal(true).optional(),
});

export const openedKey = keyPage.pick({ resetsAt: true }).extend({ key: listedKey });

/** Reads a page of keys with what each has used; without that while metering is away. */
export async function readKeyPage(
  services: DashboardServices,
  request: {
    accountId?: string | undefined;
    endsBy?: number | undefined;
    madeBy?: number | undefined;
    limit: number;
    after?: string | undefined;
  },
): Promise<z.infer<typeof keyPage>> {
  const { keys, next } = await services.ask(accountsOperations.listKeys, request);
  if (keys.length === 0) return { data: [], next };
  return { ...(await withUse(services, keys)), next };
}

/** A key sleeps that was not used for so long, milliseconds: what metering keeps in any case. */
const sleepMs = 56 * 86_400_000;

/**
 * Of one page of keys that work those that sleep: made eight weeks ago, and not used since then. A page may
 * be empty where more are to come.
 */
export async function readSleepingKeys(
  services: DashboardServices,
  request: { accountId?: string | undefined; limit: number; after?: string | undefined },
): Promise<z.infer<typeof keyPage>> {
  const since = Date.now() - sleepMs;
  const { data, ...rest } = await readKeyPage(services, { ...request, madeBy: since });
  // Undefined: metering does not say. An accounts of a release before tells of all keys.
  const sleeps = ({ createdAt, lastUsedAt, keyStatus }: z.infer<typeof listedKey>) =>
    keyStatus === 'active' && createdAt <= since && lastUsedAt !== undefined && (lastUsedAt ?? 0) < since;
  return { ...rest, data: data.filter(sleeps) };
}

/** So many pages are looked through for the first keys that sleep. */
const mostPages = 4;

/** The newest keys that sleep, of the 2,000 newest that are old enough. */
export async function firstSleepingKeys(services: DashboardServices): Promise<z.infer<typeof keyPage>> {
  let found = await readSleepingKeys(services, { limit: 500 });
  for (let pages = 1; pages < mostPages && found.data.length === 0 && found.next !== null; pages++)
    found = await readSleepingKeys(services, { limit: 500, after: found.next });
  return found;
}

/** One key of any state, as in a list. @throws GatewayError 404. */
export async function readKey(services: DashboardServices, keyId: string): Promise<z.infer<typeof openedKey>> {
  const { key } = await services.ask(accountsOperations.getKey, { keyId });
  const { data, resetsAt } = await withUse(services, [key]);
  return { key: data[0] ?? key, resetsAt };
}

async function withUse(
  services: DashboardServices,
  keys: KeySummary[],
): Promise<Omit<z.infer<typeof keyPage>, 'next'>> {
  const used = await services.askIfThere(reportOperations.usedTokens, { keyIds: keys.map(({ id }) => id) });
  if (!used) return { data: keys, useUnknown: true };
  const data = keys.map((key) => ({
    ...key,
    usedTokens: used.used[key.id] ?? 0,
    lastUsedAt: used.lastUsedAt[key.id] ?? null,
  }));
  return { data, resetsAt: used.resetsAt };
}
