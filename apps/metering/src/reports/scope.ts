import { Prisma } from '@tollgate/database';

/** Whose usage, and which part of it; what is absent restricts nothing. */
export interface Scope {
  keyIds?: string[] | undefined;
  accountId?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
}

/** The conditions of a scope on a table of sums, each with AND in front. */
export function scopeConditions({ keyIds, accountId, model, provider }: Scope): Prisma.Sql {
  const conditions = [
    ...(keyIds ? [Prisma.sql`AND key_id = ANY(${keyIds})`] : []),
    ...(accountId === undefined ? [] : [Prisma.sql`AND account_id = ${accountId}`]),
    ...(model === undefined ? [] : [Prisma.sql`AND model = ${model}`]),
    ...(provider === undefined ? [] : [Prisma.sql`AND provider = ${provider}`]),
  ];
  return conditions.length === 0 ? Prisma.empty : Prisma.join(conditions, ' ');
}
