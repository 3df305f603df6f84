import { Prisma } from '@tollgate/database';

/** More parts are read in the next page. */
export const mostPartsRead = 1_000;

/** Which parts of a conversation come next. */
export interface NextParts {
  readonly accountId: string;
  readonly id: string;
  readonly order: 'asc' | 'desc';
  /** Behind this one; null: from the first on. */
  readonly from: { readonly ordinal: number; readonly part: number } | null;
  /** Of this item alone; null: of all. */
  readonly only: string | null;
  /** Items from this place on are not shown. */
  readonly before: number;
}

/**
 * One part more than a page can have, in order: as the index has them, so that a page of a conversation of
 * many thousands of items costs no more than one of a short one.
 */
export function nextParts({ accountId, id, order, from, only, before }: NextParts): Prisma.Sql {
  const behind =
    order === 'asc'
      ? Prisma.sql`AND (ordinal, part) > (${from?.ordinal}::int, ${from?.part}::int)`
      : Prisma.sql`AND ordinal <= ${from?.ordinal}::int AND (ordinal < ${from?.ordinal}::int OR part > ${from?.part}::int)`;
  return Prisma.sql`
    SELECT ordinal, item_id, part, parts, raw_bytes, content FROM conversation_item
    WHERE account_id = ${accountId} AND conversation_id = ${id} AND ordinal < ${before}::int
      AND day = (SELECT day FROM conversation WHERE account_id = ${accountId} AND id = ${id})
      ${only === null ? Prisma.empty : Prisma.sql`AND item_id = ${only}`} ${from ? behind : Prisma.empty}
    ORDER BY ordinal ${Prisma.raw(order === 'asc' ? 'ASC' : 'DESC')}, part LIMIT ${mostPartsRead + 1}`;
}
