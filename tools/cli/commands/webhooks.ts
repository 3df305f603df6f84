import { alertKind, webhookForm, webhookOperations } from '@tollgate/contracts/accounts';
import type { AlertKind, Webhook, WebhookDelivery, WebhookForm } from '@tollgate/contracts/accounts';
import { Command, Option } from 'commander';
import { Refusal } from '../failure';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [
  webhooksCreate,
  webhooksChange,
  (around) => webhooksPaused(around, { name: 'pause', paused: true, does: 'send no alerts there until it is resumed' }),
  (around) => webhooksPaused(around, { name: 'resume', paused: false, does: 'send alerts there again' }),
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
      // Of a mail an older accounts tells one, too.
      const toldSecret = webhook.form === 'mail' ? '' : `Secret, shown once: ${secret}\n`;
      output.show(
        reply,
        json,
        () => `Alerts go to ${webhook.host}.\n${toldSecret}Try it: tollgate webhooks test ${webhook.id}`,
      );
    });
}

interface WebhookChange {
  name?: string;
  kinds?: (AlertKind | typeof allKinds)[];
  json?: boolean;
}

/** What stands for every kind, those of later releases too. */
const allKinds = 'all';

/** `webhooks change`: another name, or other alerts. */
function webhooksChange({ gateway, output, actor }: Surroundings): Command {
  return new Command('change')
    .description('change what a webhook is called or told; what is not said stays')
    .argument('<webhook id>', 'the id that webhooks list shows')
    .option('--name <name>', 'what it is called')
    .addOption(new Option('--kinds <kinds...>', 'only alerts of these kinds').choices([allKinds, ...alertKind.options]))
    .option('--json', 'print JSON')
    .action(async (webhookId: string, { name, kinds, json }: WebhookChange) => {
      if (name === undefined && kinds === undefined) throw new Refusal('Say --name or --kinds.');
      const named = kinds?.includes(allKinds) ? [] : kinds?.flatMap((kind) => (kind === allKinds ? [] : kind));
      const reply = await gateway.call(webhookOperations.update, { webhookId, name, kinds: named, actor });
      output.show(reply, json, () => 'The webhook is changed.');
    });
}

/** `webhooks pause` and `webhooks resume`. */
function webhooksPaused(
  { gateway, output, actor }: Surroundings,
  { name, paused, does }: { name: string; paused: boolean; does: string },
): Command {
  return new Command(name)
    .description(does)
    .argument('<webhook id>', 'the id that webhooks list shows')
    .option('--json', 'print JSON')
    .action(async (webhookId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(webhookOperations.update, { webhookId, paused, actor });
      output.show(reply, json, () =>
        paused
          ? `The webhook is paused: nothing is sent there until tollgate webhooks resume ${webhookId}.`
          : 'The webhook is told again, first what had waited for it.',
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
    ['id', 'name', 'host', 'form', 'alerts', 'paused'],
    webhooks.map(({ id, name, host, form, kinds, paused }) => [
      ...[id, name, host, form],
      ...[kinds.join(' ') || allKinds, paused ? 'yes' : ''],
    ]),
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
