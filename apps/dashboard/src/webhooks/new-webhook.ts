import { alertKind, webhookForm } from '@tollgate/contracts';
import { z } from 'zod/mini';
import type { NewWebhook } from '../api/webhooks';

/** What is typed of a new webhook. `which`: all alerts, those of later releases too, or `kinds` alone. */
export const newWebhookShape = z
  .object({
    name: z
      .string()
      .check(z.trim(), z.minLength(1, 'Give the webhook a name.'), z.maxLength(100, 'Use at most 100 characters.')),
    form: z.enum(webhookForm.enum),
    url: z
      .string()
      .check(
        z.trim(),
        z.minLength(1, 'Say where alerts are sent.'),
        z.maxLength(2_000, 'Use at most 2,000 characters.'),
      ),
    which: z.enum(['all', 'some']),
    kinds: z.array(z.enum(alertKind.enum)),
  })
  .check(({ value, issues }) => {
    if (value.which === 'some' && value.kinds.length === 0)
      issues.push({ code: 'custom', path: ['kinds'], message: 'Choose one alert at least.', input: value.kinds });
  });
export type NewWebhookValues = z.infer<typeof newWebhookShape>;

export const emptyWebhook: NewWebhookValues = { name: '', form: 'signed', url: '', which: 'all', kinds: [] };

/** As the gateway takes it: a mail by its `mailto:`, which nobody types. */
export function toNewWebhook({ name, form, url, which, kinds }: NewWebhookValues): NewWebhook {
  const isBare = form === 'mail' && !/^mailto:/i.test(url);
  return { name, form, url: isBare ? `mailto:${url}` : url, kinds: which === 'all' ? [] : kinds };
}
