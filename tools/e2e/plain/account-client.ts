import { accountsOperations } from '@tollgate/contracts/accounts';
import OpenAI from 'openai';
import type { TestStack } from '../test-stack';

/** The official client of an account of its own, which is active, without limits. */
export async function accountClient(test: TestStack, name: string): Promise<OpenAI> {
  const email = `${name}@example.org`;
  const { account } = await test.stack.call(accountsOperations.requestAccess, { name, email });
  await test.stack.call(accountsOperations.setAccountStatus, {
    account: account.id,
    status: 'active',
    plan: 'enterprise',
  });
  const { apiKey } = await test.stack.createKey({ name, email, plan: 'enterprise', rpm: null, quotaTokens: null });
  return new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey, maxRetries: 0 });
}
