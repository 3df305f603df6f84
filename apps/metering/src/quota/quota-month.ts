import { monthStartMs } from '@tollgate/contracts';
import type { QuotaRecord } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { monthOf } from '../ingest/fold-rows';

/**
 * The quota record as of a moment. `quotaTokens` null: unlimited. The window is the calendar month in UTC.
 */
export function quotaRecord(used: bigint, quotaTokens: number | null, nowMs: number): QuotaRecord {
  const tokens = Number(used);
  return {
    used: tokens,
    quota: quotaTokens,
    remaining: quotaTokens === null ? null : Math.max(0, quotaTokens - tokens),
    resetsAt: monthStartMs(nowMs, 1),
  };
}

/** Tokens that a key used in the month of `nowMs`, as far as its events are stored. */
export async function usedTokens(queries: Queries<'metering'>, keyId: string, nowMs: number): Promise<bigint> {
  const month = new Date(monthOf(nowMs));
  const row = await queries.quotaMonth.findUnique({ where: { keyId_month: { keyId, month } } });
  return row?.usedTokens ?? 0n;
}

/** The same of many keys, by key. */
export async function usedTokensOf(
  queries: Queries<'metering'>,
  keyIds: string[],
  nowMs: number,
): Promise<Record<string, number>> {
  const month = new Date(monthOf(nowMs));
  const rows = await queries.quotaMonth.findMany({ where: { keyId: { in: keyIds }, month } });
  const used = new Map(rows.map((row) => [row.keyId, Number(row.usedTokens)]));
  return Object.fromEntries(keyIds.map((keyId) => [keyId, used.get(keyId) ?? 0]));
}

/**
 * The same, and from now to the end of the transaction nobody else can grant from, or add to, this key's
 * quota of the month:
 * the row of the month is its lock.
 */
export async function lockUsedTokens(transaction: Queries<'metering'>, keyId: string, nowMs: number): Promise<bigint> {
  const month = Prisma.sql`${monthOf(nowMs)}::date`;
  const [row] = await transaction.$queryRaw<{ used: bigint }[]>`
    INSERT INTO quota_month AS quota (key_id, month) VALUES (${keyId}, ${month})
    ON CONFLICT (key_id, month) DO UPDATE SET used_tokens = quota.used_tokens RETURNING used_tokens AS used`;
  return row?.used ?? 0n;
}
