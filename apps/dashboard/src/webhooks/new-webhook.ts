import { alertKind, webhookForm } from '@tollgate/contracts/accounts';
import type { Webhook } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import type { NewWebhook, WebhookChange } from '../api/webhooks';

const told = {
  name: z
    .string()
    .check(z.trim(), z.minLength(1, 'Give the webhook a name.'), z.maxLength(100, 'Use at most 100 characters.')),
  which: z.enum(['all', 'some']),
  kinds: z.array(z.enum(alertKind.enum)),
};

/** `which`: all alerts, those of later releases too, or `kinds` alone. */
const someKind = z.check<{ which: 'all' | 'some'; kinds: unknown[] }>(({ value, issues }) => {
  if (value.which === 'some' && value.kinds.length === 0)
    issues.push({ code: 'custom', path: ['kinds'], message: 'Choose one alert at least.', input: value.kinds });
});

/** What is typed of a webhook that there is. */
export const changedWebhookShape = z.object(told).check(someKind);
export type ChangedWebhookValues = z.infer<typeof changedWebhookShape>;

/** What is typed of a new one. */
export const newWebhookShape = z
  .object({
    ...told,
    form: z.enum(webhookForm.enum),
    url: z
      .string()
      .check(
        z.trim(),
        z.minLength(1, 'Say where alerts are sent.'),
        z.maxLength(2_000, 'Use at most 2,000 characters.'),
      ),
  })
  .check(someKind);
export type NewWebhookValues = z.infer<typeof newWebhookShape>;

export const emptyWebhook: NewWebhookValues = { name: '', form: 'signed', url: '', which: 'all', kinds: [] };

/** As the gateway takes it: a mail by its `mailto:`, which nobody types. */
export function toNewWebhook({ form, url, ...typed }: NewWebhookValues): NewWebhook {
  const isBare = form === 'mail' && !/^mailto:/i.test(url);
  return { ...toWebhookChange(typed), form, url: isBare ? `mailto:${url}` : url };
}

export function toWebhookChange({ name, which, kinds }: ChangedWebhookValues) {
  return { name, kinds: which === 'all' ? [] : kinds } satisfies WebhookChange;
}

export function fromWebhook({ name, kinds }: Pick<Webhook, 'name' | 'kinds'>): ChangedWebhookValues {
  return { name, which: kinds.length === 0 ? 'all' : 'some', kinds };
}
