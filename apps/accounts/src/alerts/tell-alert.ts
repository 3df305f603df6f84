import { uuidv7 } from '@tollgate/contracts';
import { webhookForm, type AlertKind, type WebhookForm } from '@tollgate/contracts/accounts';
import type { AccountsQueries } from '../storage';

/**
 * Something that operators want to hear of. `text`: one line for people; `advice`: what they may do about it;
 * `link`: where in the dashboard they see more, a whole address; `data`: the facts for programs.
 * `only`: whom it is for, where people (Slack, mails) are told of several things in one and programs of each.
 * `turn`: a webhook gets those of the same one after the other, by their places.
 */
export interface Alert {
  readonly kind: AlertKind;
  readonly text: string;
  readonly advice: string;
  readonly link: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
  readonly only?: 'people' | 'programs';
  readonly turn?: { readonly of: string; readonly place: number };
}

type AlertQueries = Pick<AccountsQueries, 'webhook' | 'webhookDelivery'>;

const isTold = { pausedAt: null };

/** Whether any webhook is told anything now. */
export async function areAlertsSent({ webhook }: Pick<AlertQueries, 'webhook'>): Promise<boolean> {
  return (await webhook.count({ where: isTold, take: 1 })) > 0;
}

/**
 * Tells every webhook that wants alerts of this kind, and is not paused. What is told within a transaction is
 * sent if, and only if, the transaction becomes true.
 */
export function tellAlert(queries: AlertQueries, alert: Alert): Promise<void> {
  return tellAlerts(queries, [alert]);
}

/** A statement takes 65,535 values: https://www.postgresql.org/docs/current/limits.html */
const deliveriesAtOnce = 5_000;

/** The same of several, in few statements: a transaction of a busy database has little time. */
export async function tellAlerts(queries: AlertQueries, alerts: readonly Alert[]): Promise<void> {
  if (alerts.length === 0) return;
  const webhooks = await queries.webhook.findMany({
    where: isTold,
    select: { id: true, form: true, kinds: true },
  });
  const data = alerts.flatMap((alert) =>
    webhooks.filter(({ form, kinds }) => wants({ form, kinds }, alert)).map((webhook) => deliveryOf(webhook, alert)),
  );
  for (let from = 0; from < data.length; from += deliveriesAtOnce)
    await queries.webhookDelivery.createMany({ data: data.slice(from, from + deliveriesAtOnce) });
}

function wants({ form, kinds }: { form: string; kinds: readonly string[] }, { kind, only }: Alert): boolean {
  const reader = form === 'signed' ? 'programs' : 'people';
  return (kinds.length === 0 || kinds.includes(kind)) && (only === undefined || only === reader);
}

/** Tells one webhook. Returns the id of the delivery. */
export async function tellWebhook(
  queries: Pick<AlertQueries, 'webhookDelivery'>,
  webhook: { id: string; form: string },
  alert: Alert,
): Promise<string> {
  const data = deliveryOf(webhook, alert);
  await queries.webhookDelivery.create({ data });
  return data.id;
}

function deliveryOf({ id: webhookId, form }: { id: string; form: string }, alert: Alert) {
  const createdAt = new Date();
  const body = alertBody(alert, webhookForm.parse(form), createdAt.getTime());
  const turn = { turn: alert.turn?.of ?? null, place: alert.turn?.place ?? null };
  return { id: uuidv7(), webhookId, kind: alert.kind, body, createdAt, dueAt: createdAt, ...turn };
}

/**
 * What is sent of an alert of this moment, epoch milliseconds. The signed form has the members that Standard
 * Webhooks recommends: https://www.standardwebhooks.com
 */
function alertBody({ kind, text, advice, link, data }: Alert, form: WebhookForm, atMs: number): string {
  if (form === 'mail') return [text, advice, link].join('\n\n');
  if (form === 'slack') return JSON.stringify({ text: `${escaped(`${text} ${advice}`)}\n${escaped(link)}` });
  const said = { ...data, text, advice, link };
  return JSON.stringify({ type: kind, timestamp: new Date(atMs).toISOString(), data: said });
}

/** So that no name in it calls a whole channel. https://api.slack.com/docs/message-formatting */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
