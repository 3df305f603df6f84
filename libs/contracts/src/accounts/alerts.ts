import { z } from 'zod';
import { operation } from '../operation';
import { text, thingName } from '../text';

/**
 * What the gateway tells of by itself. `budget.threshold`: 50, 80 or 100 % of a budget are spent, or it
 * refused a request with something left. `access.requested`: somebody asks to be let in. `provider.down`:
 * every instance leaves places of it alone, for everybody, for a minute; `provider.back`: none does any more.
 * `provider.key_refused`: one of its several keys. `key.expiring`: an API key ends within two weeks.
 * `key.unused`: one was not used for 90 days. `bill.drift`: a provider bills otherwise than our prices.
 * `usage.dead_letters`: usage that could not be stored. `content.dropped`: requests that should have been
 * logged were not. `webhook.test`: an administrator wanted to see whether it arrives.
 */
export const alertKind = z.enum([
  'budget.threshold',
  'access.requested',
  'provider.down',
  'provider.back',
  'provider.key_refused',
  'key.expiring',
  'key.unused',
  'bill.drift',
  'usage.dead_letters',
  'content.dropped',
  'webhook.test',
]);
export type AlertKind = z.infer<typeof alertKind>;

/**
 * `signed`: JSON, signed as https://www.standardwebhooks.com says. `slack`: a text, as Slack's webhooks take
 * it. `mail`: a mail to the address of a `mailto:`.
 */
export const webhookForm = z.enum(['signed', 'slack', 'mail']);
export type WebhookForm = z.infer<typeof webhookForm>;

/**
 * Where alerts are sent. `kinds` empty: all. `host`: all that is told of its address, which is a secret at
 * Slack; of a mail, the whole. `paused`: nothing is sent there until it is resumed (older releases know none
 * that are).
 */
const webhook = z.object({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  form: webhookForm,
  kinds: z.array(alertKind),
  paused: z.boolean().default(false),
  createdAt: z.number(),
});
export type Webhook = z.infer<typeof webhook>;

/**
 * One alert on its way to one webhook; its id is the header `webhook-id`, the same in each attempt.
 * `deliveredAt` null: it did not arrive yet; with `dueAt` null too, it was given up. `status`: what the
 * receiver answered last, null: nothing. `problem` null: none. Times are epoch milliseconds.
 */
const webhookDelivery = z.object({
  id: z.string(),
  webhookId: z.string(),
  kind: alertKind,
  createdAt: z.number(),
  deliveredAt: z.number().nullable(),
  dueAt: z.number().nullable(),
  attempts: z.number().int(),
  status: z.number().int().nullable(),
  problem: z.string().nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

const name = thingName(100);
const kinds = z.array(alertKind).max(20);
const actor = text(200).min(1).default('operator');
const page = { limit: z.number().int().min(1).max(500).default(100), after: z.string().optional() };

/** What accounts answers of webhooks. */
export const webhookOperations = {
  /**
   * `invalid` (an address that is not allowed), `conflict` (a name that there is already, too many).
   * `secret`: with it the receiver sees that a delivery is of this gateway; it is told here alone. Empty of a
   * mail, which is not signed.
   */
  create: operation(
    'accounts.webhooks.create',
    z.object({
      name,
      url: text(2_000).min(1),
      form: webhookForm.default('signed'),
      kinds: kinds.default([]),
      actor,
    }),
    z.object({ webhook, secret: z.string() }),
  ),
  /**
   * Changes what it is called or told, or whether it is paused; what is absent stays. Of alerts that a paused
   * one would have been told none is sent later; what waited for it before goes on when it is resumed.
   * `not_found`, `conflict` (a name that there is already).
   */
  update: operation(
    'accounts.webhooks.update',
    z.object({
      webhookId: text(200),
      name: name.optional(),
      kinds: kinds.optional(),
      paused: z.boolean().optional(),
      actor,
    }),
    z.object({ webhook }),
  ),
  /** What waits for it is sent no more. `not_found`. */
  remove: operation('accounts.webhooks.remove', z.object({ webhookId: text(200), actor }), z.object({})),
  list: operation('accounts.webhooks.list', z.object({}), z.object({ webhooks: z.array(webhook) })),
  /** Sends `webhook.test` to one, within seconds. `not_found`, `conflict` (one that is paused). */
  test: operation(
    'accounts.webhooks.test',
    z.object({ webhookId: text(200), actor }),
    z.object({ deliveryId: z.string() }),
  ),
  /** What was sent in the last 30 days, or is to be sent, the newest first; of all webhooks. */
  deliveries: operation(
    'accounts.webhooks.deliveries',
    z.object(page),
    z.object({ deliveries: z.array(webhookDelivery), next: z.string().nullable() }),
  ),
};
