import {
  accountsOperations,
  administrationOperations,
  contentLogOperations,
  type AdminRoute,
} from '@tollgate/contracts';
import type { z } from 'zod';
import type { DashboardServices } from '../dashboard/dashboard-services';

type Act = Omit<z.input<typeof administrationOperations.recordAct.request>, 'actor'>;
const { read, remove, removeOfKey } = contentLogOperations;
const named = read.request.pick({ id: true });
const ofKey = removeOfKey.request.pick({ keyId: true });

/**
 * What is written down of what is asked: of texts, in the log of the account whose they are, and of which
 * request and key. Null: nothing.
 * @throws GatewayError 404 where there is no such text, or key.
 */
export async function actOnTexts(
  { act, operation: { subject } }: AdminRoute,
  asked: Record<string, unknown>,
  services: DashboardServices,
): Promise<Act | null> {
  const told = act?.(asked) ?? null;
  if (!told) return null;
  if (subject === read.subject || subject === remove.subject) {
    const { id } = named.parse(asked);
    const { accountId, requestId, keyId } = await services.ask(contentLogOperations.find, { id });
    return { ...told, accountId, detail: { ...told.detail, requestId, keyId } };
  }
  if (subject !== removeOfKey.subject) return told;
  const { key } = await services.ask(accountsOperations.getKey, ofKey.parse(asked));
  return { ...told, accountId: key.accountId };
}
