import { alertKind } from '@tollgate/contracts/accounts';
import type { AlertKind, Webhook, WebhookDelivery, WebhookForm } from '@tollgate/contracts/accounts';
import type { BadgeTone } from '../design/badge';
import { formatRelative } from '../format/time';

/** What each alert tells, as people say it. */
export const alertNames: Readonly<Record<AlertKind, string>> = {
  'budget.threshold': 'A budget is spent to 50, 80 or 100 %, or refused a request',
  'access.requested': 'Somebody asks for access',
  'provider.down': 'A provider is down',
  'provider.back': 'A provider is back',
  'provider.key_refused': 'A provider refuses one of its keys',
  'key.expiring': 'An API key ends within two weeks',
  'key.unused': 'An API key was not used for 90 days',
  'bill.drift': 'A provider bills otherwise than our prices say',
  'usage.dead_letters': 'Usage could not be stored',
  'content.dropped': 'Requests that should have been logged were not',
  'webhook.test': 'A test',
};

/** Those that a webhook can be kept to; a test reaches it in any case. */
export const chosenKinds: readonly AlertKind[] = alertKind.options.filter((kind) => kind !== 'webhook.test');

/** What is sent, and what is said of the address that it goes to. */
export const forms: Readonly<
  Record<WebhookForm, { name: string; address: string; placeholder: string; hint: string }>
> = {
  signed: {
    name: 'JSON, signed',
    address: 'Address',
    placeholder: 'https://ops.example.org/tollgate',
    hint: 'It gets the facts of each alert, signed as Standard Webhooks says.',
  },
  slack: {
    name: 'Slack, or what takes its messages',
    address: 'Address of the incoming webhook',
    placeholder: 'https://hooks.slack.com/services/…',
    hint: 'It gets one line of text for each alert.',
  },
  mail: {
    name: 'Mail',
    address: 'Email',
    placeholder: 'ops@example.org',
    hint: 'It goes out with the mail server of this gateway.',
  },
};

/** Which alerts a webhook is told. */
export function kindsText({ kinds }: Pick<Webhook, 'kinds'>): string {
  return kinds.length === 0 ? 'All alerts' : kinds.map((kind) => alertNames[kind]).join('; ');
}

type Standing = Pick<WebhookDelivery, 'deliveredAt' | 'dueAt' | 'attempts' | 'problem'>;

/** How a delivery stands. An instance that sends it keeps `dueAt` ahead of others meanwhile. */
export function standingOf({ deliveredAt, dueAt, attempts, problem }: Standing): { text: string; tone: BadgeTone } {
  if (deliveredAt !== null) return { text: 'Arrived', tone: 'good' };
  if (dueAt === null) return { text: 'Given up', tone: 'bad' };
  if (problem !== null) return { text: 'Is tried again', tone: 'warn' };
  return { text: attempts === 0 ? 'Waits to be sent' : 'Being sent', tone: 'plain' };
}

/** When a delivery that failed is tried again; null: it is not, or was not tried yet. Times: epoch ms. */
export function nextTryText({ deliveredAt, dueAt, problem }: Standing, now: number, locale?: string): string | null {
  if (deliveredAt !== null || dueAt === null || problem === null) return null;
  return dueAt <= now ? 'now' : formatRelative(dueAt, now, locale);
}

/** What the receiver made of it. A mail has arrived when it is handed to the mails of the gateway. */
export function answerText({
  deliveredAt,
  status,
  problem,
}: Pick<WebhookDelivery, 'deliveredAt' | 'status' | 'problem'>) {
  if (problem !== null) return problem;
  if (status !== null) return `The receiver answered ${status}.`;
  return deliveredAt === null ? null : 'Written as a mail.';
}
