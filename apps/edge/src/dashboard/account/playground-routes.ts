import { GatewayError } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { openaiChatSurface } from '@tollgate/dialects/surface';
import { z } from 'zod';
import type { Caller } from '../../callers/authenticator';
import { operationAt } from '../../generation/operations';
import { requireContext } from '../../http/request-context';
import type { DashboardServices } from '../dashboard-services';
import { keysOf } from '../require-permission';
import { HandOver, route } from '../route';

/**
 * Trying models from the dashboard: a generation like any other, admitted, limited and metered as one of the
 * person's own keys.
 */
export const playgroundRoutes = [
  route({
    method: 'POST',
    path: '/api/playground/chat/completions',
    access: 'playground',
    summary: 'POST /v1/chat/completions as one of your keys; the body and the answer are the same',
    query: z.strictObject({ keyId: z.string().min(1).max(200) }),
    handle: async ({ query, signedIn, message }, services) => {
      const caller = await callerOf(query.keyId, keysOf(signedIn), services);
      return new HandOver((response) => {
        void services.generations.handle(
          operationAt(openaiChatSurface.path),
          message,
          response,
          requireContext(message),
          { caller },
        );
      });
    },
  }),
];

/**
 * @throws GatewayError 404 for a key of somebody else; 403 for one that does not work, since 401 is for who
 * is not signed in; 503.
 */
async function callerOf(keyId: string, whose: ReturnType<typeof keysOf>, services: DashboardServices): Promise<Caller> {
  const { digest } = await services.ask(accountsOperations.keyDigest, { keyId, ...whose });
  try {
    return await services.authenticator.find(digest);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) throw new GatewayError(403, error.message);
    throw error;
  }
}
