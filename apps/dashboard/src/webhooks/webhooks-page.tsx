import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '@tollgate/contracts/accounts';
import { useMemo, useState } from 'react';
import { messageOf } from '../api/api-error';
import { changeWebhook, fetchWebhooks, removeWebhook, testWebhook } from '../api/webhooks';
import type { MadeWebhook } from '../api/webhooks';
import { Badge } from '../design/badge';
import { Button, IconButton } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Dialog, DialogActions } from '../design/dialog';
import { Menu } from '../design/menu';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { type Column, Table } from '../design/table';
import { ToldSecret } from '../design/told-secret';
import { useStay } from '../design/use-stay';
import { formatDate } from '../format/time';
import { ChangeWebhookDialog } from './change-webhook-dialog';
import { CreateWebhookDialog } from './create-webhook-dialog';
import { DeliveriesCard, deliveriesKey } from './deliveries-card';
import { forms, kindsText } from './webhook-words';
import styles from './webhooks.module.css';

/** What lies above the page, if anything. */
type Layer =
  | { kind: 'create' }
  | { kind: 'secret'; made: MadeWebhook }
  | { kind: 'change' | 'pause' | 'remove'; webhook: Webhook }
  | null;

/** Where alerts go, and what became of each. */
export function WebhooksPage() {
  const client = useQueryClient();
  const webhooks = useQuery({ queryKey: ['admin', 'webhooks'], queryFn: fetchWebhooks });
  const [layer, setLayer] = useState<Layer>(null);
  const refresh = () => Promise.all([webhooks.refetch(), client.invalidateQueries({ queryKey: deliveriesKey })]);
  /** What had no answer may be there. */
  const close = () => {
    setLayer(null);
    void refresh();
  };
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
                onAct={(kind, webhook) => setLayer({ kind, webhook })}
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
      {layer?.kind === 'change' && <ChangeWebhookDialog webhook={layer.webhook} onClose={close} onChanged={refresh} />}
      {layer?.kind === 'pause' && <PauseDialog webhook={layer.webhook} onClose={close} onDone={refresh} />}
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

/** The only time the secret is told: neither Escape, nor Back, nor a stray press closes it. */
function WebhookSecretDialog({ made: { webhook, secret }, onClose }: { made: MadeWebhook; onClose: () => void }) {
  useStay();
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title={`The secret of "${webhook.name}"`}
      description="Copy it now and keep it safe: it cannot be shown again."
    >
      <ToldSecret text={secret} label="Copy the secret" />
      <p>
        {webhook.form === 'slack'
          ? 'Slack does not need it. A receiver of your own can check with it that a message comes from this gateway.'
          : 'With it the receiver checks that a delivery comes from this gateway: by its header webhook-signature, as every library of Standard Webhooks does.'}
      </p>
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Asks before a webhook is paused, or resumed. */
function PauseDialog({
  webhook: { id, name, host, paused },
  onClose,
  onDone,
}: {
  webhook: Webhook;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const act = paused ? 'Resume' : 'Pause';
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${act} the webhook "${name}"?`}
      action={`${act} the webhook`}
      tone="primary"
      onConfirm={async () => {
        await changeWebhook(id, { paused: !paused });
        await onDone();
      }}
    >
      {paused
        ? `Alerts go to ${host} again, first what had waited for it. Those of the time between are not sent later, but for what still goes on and no webhook was told.`
        : `Nothing is sent to ${host} until you resume it. What waits for it goes on then. Alerts of the time between are not sent later, but for what still goes on then and no other webhook was told.`}
    </ConfirmDialog>
  );
}

interface Acts {
  /** The webhook that a test is being asked for; null: none. */
  testing: string | null;
  onTest: (webhook: Webhook) => void;
  onAct: (act: 'change' | 'pause' | 'remove', webhook: Webhook) => void;
}

function WebhooksTable({ webhooks, testing, onTest, onAct }: Acts & { webhooks: Webhook[] }) {
  const columns = useMemo(() => columnsOf({ testing, onTest, onAct }), [testing, onTest, onAct]);
  return <Table label="Webhooks" columns={columns} rows={webhooks} rowId={({ id }) => id} />;
}

const columnsOf = ({ testing, onTest, onAct }: Acts): Column<Webhook>[] => [
  {
    header: 'Name',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <strong className="break">
          {original.name} {original.paused && <Badge tone="warn">paused</Badge>}
        </strong>
        <span className="muted break">{original.host}</span>
      </span>
    ),
  },
  { header: 'What is sent', cell: ({ row }) => forms[row.original.form].name },
  { header: 'Alerts', cell: ({ row }) => <span className="break">{kindsText(row.original)}</span> },
  { header: 'Since', meta: { whole: true }, cell: ({ row }) => formatDate(row.original.createdAt) },
  {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row: { original } }) => (
      <span className={styles.actions}>
        <Button
          size="small"
          icon="send"
          aria-label={`Send a test to ${original.name}`}
          busy={testing === original.id}
          disabled={original.paused}
          onClick={() => onTest(original)}
        >
          Send a test
        </Button>
        <Menu
          items={[
            { name: 'Change', icon: 'settings', onSelect: () => onAct('change', original) },
            {
              name: original.paused ? 'Resume' : 'Pause',
              icon: original.paused ? 'refresh' : 'stop',
              onSelect: () => onAct('pause', original),
            },
            { name: 'Remove', icon: 'trash', tone: 'bad', onSelect: () => onAct('remove', original) },
          ]}
        >
          <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
        </Menu>
      </span>
    ),
  },
];
