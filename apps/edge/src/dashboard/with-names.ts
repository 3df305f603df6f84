import type { Attempt } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import type { DashboardServices } from './dashboard-services';

interface Names {
  /** Null: nobody knows it any more, accounts does not answer, or there is no key. */
  keyName: string | null;
  /** The same of an account. */
  accountName: string | null;
}

/** At most 500 rows with what their keys and accounts are called. */
export async function withNames<Row extends { keyId: string | null; accountId: string | null }>(
  rows: readonly Row[],
  services: DashboardServices,
): Promise<(Row & Names)[]> {
  if (rows.length === 0) return [];
  const keyIds = [...new Set(rows.flatMap(({ keyId }) => keyId ?? []))];
  const accountIds = [...new Set(rows.flatMap(({ accountId }) => accountId ?? []))];
  const told = await services.askIfThere(administrationOperations.names, { keyIds, accountIds });
  return rows.map((row) => ({
    ...row,
    keyName: (row.keyId !== null && told?.keys[row.keyId]) || null,
    accountName: (row.accountId !== null && told?.accounts[row.accountId]) || null,
  }));
}

/**
 * A request as its own people see it: what a provider said of the operator's account, and may charge it for
 * without their paying, is not theirs to know.
 */
export function withoutOperatorsWords<Request extends { attempts: Attempt[] }>(request: Request): Request {
  return { ...request, attempts: request.attempts.map(({ detail: _, unbilled: __, ...attempt }) => attempt) };
}
