import { ControlError } from '@tollgate/contracts';
import type { AccountsQueries } from '../storage';
import { goesOnAt } from '../keys/key-rows';

/** What is told of a token that is revoked. */
interface Revoked {
  id: string;
  name: string;
  display: string;
}

/**
 * How many tokens that tokens made may work at once, of all together. Each has a rate of its own, and is
 * revoked in one transaction with its maker.
 */
const mostMade = 100;

/** @throws ControlError `conflict`. */
export async function requireFewMade({ adminToken }: Pick<AccountsQueries, 'adminToken'>): Promise<void> {
  const works = { revokedAt: null, OR: goesOnAt(new Date()) };
  if ((await adminToken.count({ where: { madeById: { not: null }, ...works } })) < mostMade) return;
  throw new ControlError(
    'conflict',
    `${mostMade} tokens that tokens made work already: revoke some of them, or wait until some have ended.`,
  );
}

/**
 * When the first was revoked of a token, the one that made it, and so on; null: none was. A release of before
 * revokes a token without those that it made.
 */
export async function makersRevokedAt(queries: Pick<AccountsQueries, '$queryRaw'>, id: string): Promise<Date | null> {
  const [row] = await queries.$queryRaw<{ at: Date | null }[]>`
    WITH RECURSIVE maker AS (
      SELECT made_by_id, revoked_at FROM admin_token WHERE id = ${id}::uuid
      UNION ALL
      SELECT t.made_by_id, t.revoked_at FROM maker JOIN admin_token AS t ON t.id = maker.made_by_id
    )
    SELECT min(revoked_at) AS at FROM maker`;
  return row?.at ?? null;
}

/** Revokes what a token made, and what that made, as far as it works; however many they are. */
export function revokeMadeBy(queries: Pick<AccountsQueries, '$queryRaw'>, id: string): Promise<Revoked[]> {
  return queries.$queryRaw<Revoked[]>`
    WITH RECURSIVE made AS (
      SELECT id FROM admin_token WHERE made_by_id = ${id}::uuid
      UNION ALL
      SELECT t.id FROM made JOIN admin_token AS t ON t.made_by_id = made.id
    )
    UPDATE admin_token AS t SET revoked_at = ${new Date()} FROM made
    WHERE t.id = made.id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
    RETURNING t.id::text, t.name, t.display`;
}
