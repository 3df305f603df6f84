import { uuidv7, webhookForm } from '@tollgate/contracts';
import type { AccountsQueries } from '../storage';
import { alertBody, type Alert } from './alert';

type AlertQueries = Pick<AccountsQueries, 'webhook' | 'webhookDelivery'>;

/**
 * Tells every webhook that wants alerts of this kind. What is told within a transaction is sent if, and only
 * if, the transaction becomes true.
 */
export async function tellAlert(queries: AlertQueries, alert: Alert): Promise<void> {
  const wanted = { OR: [{ kinds: { isEmpty: true } }, { kinds: { has: alert.kind } }] };
  for (const { id, form } of await queries.webhook.findMany({ where: wanted, select: { id: true, form: true } }))
    await tellWebhook(queries, { id, form }, alert);
}

/** Tells one webhook. Returns the id of the delivery. */
export async function tellWebhook(
  queries: Pick<AlertQueries, 'webhookDelivery'>,
  { id: webhookId, form }: { id: string; form: string },
  alert: Alert,
): Promise<string> {
  const [id, createdAt] = [uuidv7(), new Date()];
  const body = alertBody(alert, webhookForm.parse(form), createdAt.getTime());
  const data = { id, webhookId, kind: alert.kind, body, createdAt, dueAt: createdAt };
  await queries.webhookDelivery.create({ data });
  return id;
}
