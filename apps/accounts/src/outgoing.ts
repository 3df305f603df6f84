import { Prisma } from '@tollgate/database';
import type { AccountsQueries } from './storage';

/** How often it is looked for what is due, milliseconds. */
export const outgoingEveryMs = 2_000;
/** The wait before another attempt doubles from a minute on; the last attempt comes after about two days. */
const firstWaitMs = 60_000;
const mostAttempts = 12;
/** Who sends something keeps others from it for this long. */
const claimMs = 120_000;

/** The tables of what is sent, which have the columns `due_at` and `attempts`. */
const tables = { mail: Prisma.sql`mail`, webhookDelivery: Prisma.sql`webhook_delivery` } as const;

/** Something that is due, and how often it was tried, this time included. */
export interface Claimed {
  id: string;
  attempts: number;
}

/**
 * Takes what has been due for the longest, so that no other instance takes it meanwhile. Undefined: nothing
 * is due. Who dies then leaves it to be tried again, so that it may arrive twice.
 */
export async function claimDue(
  queries: AccountsQueries,
  table: keyof typeof tables,
  nowMs = Date.now(),
): Promise<Claimed | undefined> {
  const [claimed] = await queries.$queryRaw<Claimed[]>`
    UPDATE ${tables[table]} SET attempts = attempts + 1, due_at = ${new Date(nowMs + claimMs)} WHERE id = (
      SELECT id FROM ${tables[table]} WHERE due_at <= now() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id::text, attempts`;
  return claimed;
}

/** When what failed is tried again; null: it is given up. */
export function dueAgain(attempts: number, nowMs = Date.now()): Date | null {
  return attempts < mostAttempts ? new Date(nowMs + firstWaitMs * 2 ** (attempts - 1)) : null;
}
