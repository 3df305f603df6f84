import { Prisma } from '@tollgate/database';
import type { AccountsQueries, Storage } from './storage';

/** How often it is looked for what is due, milliseconds. */
export const outgoingEveryMs = 2_000;
/** The wait before another attempt doubles from a minute on; the last attempt comes after about two days. */
const firstWaitMs = 60_000;
const mostAttempts = 12;
/** Who sends something keeps others from it for this long. */
const claimMs = 120_000;

/** The tables of what is sent, which have the columns `due_at` and `attempts`. */
const tables = { mail: Prisma.sql`mail`, webhookDelivery: Prisma.sql`webhook_delivery` } as const;

/** What is due and waits neither for what was to come before it, nor for its webhook to be resumed. */
const isNext = {
  mail: Prisma.empty,
  webhookDelivery: Prisma.sql`AND NOT EXISTS (
    SELECT FROM webhook_delivery AS former WHERE former.webhook_id = waiting.webhook_id AND former.turn = waiting.turn
      AND former.place < waiting.place AND former.due_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM webhook WHERE webhook.id = waiting.webhook_id AND webhook.paused_at IS NOT NULL)`,
} as const;

/** Something that is due, and how often it was tried, this time included. */
export interface Claimed {
  id: string;
  attempts: number;
}

/**
 * Has all that is due sent, what waits longest first, each by one instance; `lanes` at once at the most. What
 * has its turn after another waits until that has arrived, or was given up. Who dies over it leaves it to be
 * tried again, so that it may arrive twice.
 */
export async function sendDue(
  storage: Storage,
  table: keyof typeof tables,
  send: (due: Claimed) => Promise<void>,
  lanes = 1,
): Promise<void> {
  const claim = (): Promise<Claimed | undefined> => storage.read((queries) => claimDue(queries, table));
  const lane = async (first: Claimed | undefined): Promise<void> => {
    for (let due = first; due; due = await claim()) await send(due);
  };
  const first = await claim();
  if (first) await Promise.all([lane(first), ...Array.from({ length: lanes - 1 }, async () => lane(await claim()))]);
}

/** Takes what is due from all others for a while. Undefined: nothing is due. */
async function claimDue(queries: AccountsQueries, table: keyof typeof tables): Promise<Claimed | undefined> {
  const [claimed] = await queries.$queryRaw<Claimed[]>`
    UPDATE ${tables[table]} SET attempts = attempts + 1, due_at = ${new Date(Date.now() + claimMs)} WHERE id = (
      SELECT id FROM ${tables[table]} AS waiting WHERE due_at <= now() ${isNext[table]} ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id::text, attempts`;
  return claimed;
}

/** What is kept of a failure. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
}

/** When what failed is tried again; null: it is given up. */
export function dueAgain(attempts: number): Date | null {
  return attempts < mostAttempts ? new Date(Date.now() + firstWaitMs * 2 ** (attempts - 1)) : null;
}
