import type { AlertKind, WebhookForm } from '@tollgate/contracts';

/** Something that operators want to hear of. `text`: one line for people; `data`: the facts for programs. */
export interface Alert {
  readonly kind: AlertKind;
  readonly text: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * What is sent of an alert of this moment, epoch milliseconds. The signed form has the members that Standard
 * Webhooks recommends: https://www.standardwebhooks.com
 */
export function alertBody({ kind, text, data }: Alert, form: WebhookForm, atMs: number): string {
  if (form === 'slack') return JSON.stringify({ text: escaped(text) });
  return JSON.stringify({ type: kind, timestamp: new Date(atMs).toISOString(), data: { ...data, text } });
}

/** So that no name in it calls a whole channel. https://api.slack.com/docs/message-formatting */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
