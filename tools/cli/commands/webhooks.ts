import { alertKind, webhookForm, webhookOperations } from '@tollgate/contracts';
import type { AlertKind, Webhook, WebhookDelivery, WebhookForm } from '@tollgate/contracts';
import { Command, Option } from 'commander';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [
  webhooksCreate,
  webhooksRemove,
  webhooksList,
  webhooksTest,
  webhooksDeliveries,
];

interface NewWebhook {
  name: string;
  url: string;
  form: WebhookForm;
  kinds: AlertKind[];
  json?: boolean;
}

/** `webhooks create`: where alerts are sent. */
function webhooksCreate({ gateway, output, actor }: Surroundings): Command {
  return new Command('create')
    .description('send alerts to an address; prints the secret with which deliveries are signed')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--url <address>', 'where to, https://…')
    .addOption(new Option('--form <form>', 'what is sent').choices(webhookForm.options).default('signed'))
    .addOption(new Option('--kinds <kinds...>', 'only alerts of these kinds').choices(alertKind.options).default([]))
    .option('--json', 'print JSON')
    .action(async ({ json, ...asked }: NewWebhook) => {
      const reply = await gateway.call(webhookOperations.create, { ...asked, actor });
      const { webhook, secret } = reply;
      output.show(
        reply,
        json,
        () =>
          `Alerts go to ${webhook.host}.\nSecret, shown once: ${secret}\nTry it: tollgate webhooks test ${webhook.id}`,
      );
    });
}

/** `webhooks remove`: nothing is sent there any more. */
function webhooksRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('send no alerts there any more')
    .argument('<webhook id>', 'the id that webhooks list shows')
    .option('--json', 'print JSON')
    .action(async (webhookId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(webhookOperations.remove, { webhookId, actor });
      output.show(reply, json, () => 'The webhook is removed.');
    });
}

/** `webhooks list`: where alerts go. */
function webhooksList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show where alerts are sent')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const reply = await gateway.call(webhookOperations.list, {});
      output.show(reply, json, () => webhookTable(reply.webhooks));
    });
}

/** `webhooks test`: sends an alert to one. */
function webhooksTest({ gateway, output, actor }: Surroundings): Command {
  return new Command('test')
    .description('send an alert that says that it is a test')
    .argument('<webhook id>', 'the id that webhooks list shows')
    .option('--json', 'print JSON')
    .action(async (webhookId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(webhookOperations.test, { webhookId, actor });
      output.show(reply, json, () => 'It is on its way; tollgate webhooks deliveries shows what became of it.');
    });
}

/** `webhooks deliveries`: the newest alerts, and whether they arrived. */
function webhooksDeliveries({ gateway, output }: Surroundings): Command {
  return new Command('deliveries')
    .description('show the newest 100 alerts that were sent, or are to be sent, and what became of them')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { deliveries } = await gateway.call(webhookOperations.deliveries, {});
      const { webhooks } = await gateway.call(webhookOperations.list, {});
      output.show({ deliveries }, json, () => deliveryTable(deliveries, webhooks));
    });
}

function webhookTable(webhooks: readonly Webhook[]): string {
  if (webhooks.length === 0) return 'There are no webhooks.';
  return table(
    ['id', 'name', 'host', 'form', 'alerts'],
    webhooks.map(({ id, name, host, form, kinds }) => [id, name, host, form, kinds.join(' ') || 'all']),
  );
}

function deliveryTable(deliveries: readonly WebhookDelivery[], webhooks: readonly Webhook[]): string {
  if (deliveries.length === 0) return 'Nothing was sent.';
  const names = new Map(webhooks.map(({ id, name }) => [id, name]));
  return table(
    ['id', 'webhook', 'alert', 'written', 'arrived', 'tries', 'problem'],
    deliveries.map(({ id, webhookId, kind, createdAt, deliveredAt, dueAt, attempts, problem }) => [
      ...[id, names.get(webhookId) ?? webhookId, kind, instant(createdAt)],
      deliveredAt === null ? (dueAt === null ? 'given up' : 'not yet') : instant(deliveredAt),
      ...[String(attempts), problem ?? ''],
    ]),
  );
}
