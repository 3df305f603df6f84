import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '@tollgate/contracts';
import { useState } from 'react';
import { messageOf } from '../api/api-error';
import { fetchWebhooks, removeWebhook, testWebhook } from '../api/webhooks';
import type { MadeWebhook } from '../api/webhooks';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { CreateWebhookDialog } from './create-webhook-dialog';
import { DeliveriesCard, deliveriesKey } from './deliveries-card';
import { WebhookSecretDialog } from './webhook-secret-dialog';
import { WebhooksTable } from './webhooks-table';

/** What lies above the page, if anything. */
type Layer = { kind: 'create' } | { kind: 'secret'; made: MadeWebhook } | { kind: 'remove'; webhook: Webhook } | null;

/** Where alerts go, and what became of each. */
export function WebhooksPage() {
  const client = useQueryClient();
  const webhooks = useQuery({ queryKey: ['admin', 'webhooks'], queryFn: fetchWebhooks });
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  const refresh = () => Promise.all([webhooks.refetch(), client.invalidateQueries({ queryKey: deliveriesKey })]);
  const test = useTest(refresh);
  const onMade = (made: MadeWebhook) => {
    // Nobody checks a signature of a mail.
    setLayer(made.webhook.form === 'mail' ? null : { kind: 'secret', made });
    void refresh();
  };
  const add = (
    <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'create' })}>
      Add a webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      hint="Alerts of this gateway, to programs, to Slack or by mail: providers that fail, budgets that are nearly spent, requests for access."
      actions={add}
    >
      <Card flush>
        <Loaded query={webhooks} lines={3}>
          {(all) =>
            all.length === 0 ? (
              <Empty icon="send" title="Alerts are sent nowhere">
                Add a webhook, and send it a test.
              </Empty>
            ) : (
              <WebhooksTable
                webhooks={all}
                testing={test.testing}
                onTest={(webhook) => void test.run(webhook)}
                onRemove={(webhook) => setLayer({ kind: 'remove', webhook })}
              />
            )
          }
        </Loaded>
      </Card>
      <div role="status">{test.said !== null && <Note tone="good">{test.said}</Note>}</div>
      {test.problem !== null && <Note tone="bad">{test.problem}</Note>}
      <DeliveriesCard webhooks={webhooks.data} />
      {layer?.kind === 'create' && <CreateWebhookDialog onClose={close} onMade={onMade} />}
      {layer?.kind === 'secret' && <WebhookSecretDialog made={layer.made} onClose={close} />}
      {layer?.kind === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove the webhook "${layer.webhook.name}"?`}
          action="Remove the webhook"
          onConfirm={async () => {
            await removeWebhook(layer.webhook.id);
            await refresh();
          }}
        >
          Nothing is sent to {layer.webhook.host} any more, nor what still waits for it. Its deliveries leave the list,
          and its secret is worth nothing.
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** Sends a test to one webhook at a time, and says so. */
function useTest(onSent: () => Promise<unknown>) {
  const [testing, setTesting] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<{ said?: string; problem?: string }>({});
  const run = async ({ id, name }: Webhook) => {
    setTesting(id);
    setOutcome({});
    try {
      await testWebhook(id);
      setOutcome({ said: `A test is on its way to ${name}. What became of it stands in the list of deliveries.` });
      await onSent();
    } catch (error) {
      setOutcome({ problem: messageOf(error) });
    } finally {
      setTesting(null);
    }
  };
  return { testing, run, said: outcome.said ?? null, problem: outcome.problem ?? null };
}
