import { webhookOperations } from '@tollgate/contracts/accounts';
import type { Webhook, WebhookDelivery } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import { create as make, get, patch, post, remove } from './client';

const { list, create, update, test, deliveries } = webhookOperations;

/** `url`: of a mail with `mailto:`. `kinds` empty: all alerts. */
export type NewWebhook = Omit<z.input<typeof create.request>, 'actor'>;
/** What is absent stays; `kinds` as of a new one. */
export type WebhookChange = Omit<z.input<typeof update.request>, 'actor' | 'webhookId'>;
export type MadeWebhook = z.infer<typeof create.reply>;

const one = (id: string) => `/api/admin/webhooks/${encodeURIComponent(id)}`;

/** In the order in which they were made. */
export async function fetchWebhooks(): Promise<Webhook[]> {
  return (await get('/api/admin/webhooks', list.reply)).webhooks;
}

/** One page of the last 30 days, the newest first. */
export const fetchDeliveries = (after?: string): Promise<{ data: WebhookDelivery[]; next: string | null }> =>
  get(
    '/api/admin/webhooks/deliveries',
    z.object({ data: deliveries.reply.shape.deliveries, next: z.nullable(z.string()) }),
    { limit: 50, after },
  );

export const createWebhook = (webhook: NewWebhook, once: string): Promise<MadeWebhook> =>
  make('/api/admin/webhooks', webhook, create.reply, once);
export const changeWebhook = (id: string, change: WebhookChange) => patch(one(id), change, update.reply);
export const testWebhook = (id: string) => post(`${one(id)}/test`, {}, test.reply);
export const removeWebhook = (id: string) => remove(`${one(id)}/remove`);
