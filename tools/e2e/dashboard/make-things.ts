import { accountsOperations } from '@tollgate/contracts/accounts';
import { budgetOperations } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import type { Things } from './every-page';

const project = 'search';

const keyPage = z.object({
  data: z.array(
    z.object({ id: z.string(), accountId: z.string(), keyStatus: z.string(), expiresAt: z.number().nullable() }),
  ),
});
const requestPage = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * A key, a request, a project and a budget of an account that has used a key before. `read`: what the API of
 * the dashboard answers somebody of the account.
 */
export async function makeThings(stack: Stack, read: (path: string) => Promise<unknown>): Promise<Things> {
  const { data: keys } = keyPage.parse(await read('/api/keys?limit=100'));
  const key = keys.find(({ keyStatus, expiresAt }) => keyStatus === 'active' && expiresAt === null);
  if (!key) throw new Error('The account has no key that goes on.');
  const { id, accountId } = key;
  await stack.call(accountsOperations.updateKey, { keyId: id, project });
  const asked = `/api/reports/requests?startAt=0&endAt=${Date.now()}&state=completed&limit=200`;
  const { data: requests } = requestPage.parse(await read(asked));
  const wish = { accountId, name: 'team', limitUsd: '5', window: 'month' as const };
  const { budget } = await stack.call(budgetOperations.create, wish);
  await stack.call(budgetOperations.create, { ...wish, name: 'of the project', project });
  return { account: accountId, key: id, project, request: requests.at(-1)?.id ?? '', budget: budget.id };
}
