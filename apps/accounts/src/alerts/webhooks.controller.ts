import { Controller } from '@nestjs/common';
import { ControlError, uuidv7, type ServedBy } from '@tollgate/contracts';
import {
  alertKind,
  webhookForm,
  webhookOperations,
  type Webhook,
  type WebhookForm,
} from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { operatorAccount } from '../accounts/account-rows';
import { Changes, type AuditEntry, type Change } from '../keys/changes';
import { AccountsSettings } from '../settings';
import { readPage, Storage, type AccountsQueries } from '../storage';
import { tellWebhook } from './tell-alert';
import { mailAddress, webhookAddress } from './webhook-address';
import { WebhookSecrets } from './webhook-secrets';

type Served = ServedBy<typeof webhookOperations>;

/** Each alert is written for each of them. */
const mostWebhooks = 50;

/** A webhook as the database holds it. */
interface StoredWebhook {
  id: string;
  name: string;
  host: string;
  form: string;
  kinds: string[];
  createdAt: Date;
  pausedAt: Date | null;
}

/** The operations on webhooks. All throw ControlError `unavailable` when the database is away. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly secrets: WebhookSecrets,
    private readonly settings: AccountsSettings,
  ) {}

  @Serve(webhookOperations.create)
  create({ name, url, form, kinds, actor }: Served['create']['request']): Promise<Served['create']['reply']> {
    const host = this.checked(url, form);
    return this.changes.commit(async (change) => {
      const { webhook } = change.transaction;
      await checkFree(change.transaction, name);
      if ((await webhook.count()) >= mostWebhooks)
        throw new ControlError('conflict', `There are at most ${mostWebhooks} webhooks; remove one first.`);
      const id = uuidv7();
      const data = { id, name, host, form, kinds, sealedUrl: this.secrets.seal(id, url) };
      const stored = await webhook.create({ data });
      await audit(change, actor, 'webhook-created', { webhookId: id, name, host, form, kinds });
      // Mails are not signed.
      return { webhook: told(stored), secret: form === 'mail' ? '' : this.secrets.signingSecret(id) };
    });
  }

  @Serve(webhookOperations.update)
  update({ webhookId, name, kinds, paused, actor }: Served['update']['request']): Promise<Served['update']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction: queries } = change;
      const before = await found(queries, webhookId);
      if (name === undefined && kinds === undefined && paused === undefined) return { webhook: told(before) };
      if (name !== undefined && name !== before.name) await checkFree(queries, name);
      if (paused === false && before.pausedAt) await sendWaiting(queries, webhookId);
      const pausedAt = paused ? (before.pausedAt ?? new Date()) : null;
      const data = { name, kinds, ...(paused !== undefined && { pausedAt }) };
      const webhook = told(await queries.webhook.update({ where: { id: webhookId }, data }));
      await audit(change, actor, 'webhook-changed', {
        ...{ webhookId, name: webhook.name, host: webhook.host },
        ...{ kinds: webhook.kinds, paused: webhook.paused },
      });
      return { webhook };
    });
  }

  @Serve(webhookOperations.remove)
  remove({ webhookId, actor }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.changes.commit(async (change) => {
      const { name, host } = await found(change.transaction, webhookId);
      await change.transaction.webhook.delete({ where: { id: webhookId } });
      await audit(change, actor, 'webhook-removed', { webhookId, name, host });
      return {};
    });
  }

  @Serve(webhookOperations.list)
  list(): Promise<Served['list']['reply']> {
    return this.storage.read(async ({ webhook }) => ({
      webhooks: (await webhook.findMany({ orderBy: { id: 'asc' } })).map(told),
    }));
  }

  @Serve(webhookOperations.test)
  test({ webhookId, actor }: Served['test']['request']): Promise<Served['test']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction: queries } = change;
      const webhook = await found(queries, webhookId);
      if (webhook.pausedAt)
        throw new ControlError('conflict', 'The webhook is paused, so nothing is sent to it; resume it first.');
      await audit(change, actor, 'webhook-tested', { webhookId, name: webhook.name, host: webhook.host });
      const text = `This is how alerts of Tollgate arrive at ${webhook.name}.`;
      const alert = {
        kind: 'webhook.test',
        text,
        advice: 'Nothing is to be done.',
        link: `${this.settings.people.publicUrl}/admin/webhooks`,
        data: { webhook: webhook.name },
      } as const;
      return { deliveryId: await tellWebhook(queries, webhook, alert) };
    });
  }

  @Serve(webhookOperations.deliveries)
  async deliveries(wish: Served['deliveries']['request']): Promise<Served['deliveries']['reply']> {
    const { items, next } = await this.storage.read(({ webhookDelivery }) =>
      readPage(wish, ({ id, ...page }) => webhookDelivery.findMany({ where: { id }, omit: { body: true }, ...page })),
    );
    const deliveries = items.map(({ kind, createdAt, deliveredAt, dueAt, ...delivery }) => ({
      ...delivery,
      kind: alertKind.parse(kind),
      createdAt: createdAt.getTime(),
      deliveredAt: deliveredAt?.getTime() ?? null,
      dueAt: dueAt?.getTime() ?? null,
    }));
    return { deliveries, next };
  }

  /** What is shown of the address. */
  private checked(url: string, form: WebhookForm): string {
    try {
      return form === 'mail' ? mailAddress(url) : webhookAddress(url, this.settings.webhookPrivateHosts).host;
    } catch (error) {
      throw new ControlError('invalid', `url: ${error instanceof Error ? error.message : 'is none'}.`);
    }
  }
}

/** @throws ControlError `not_found`. */
async function found({ webhook }: Pick<AccountsQueries, 'webhook'>, id: string): Promise<StoredWebhook> {
  const stored = isUuid(id) ? await webhook.findUnique({ where: { id } }) : null;
  if (!stored) throw new ControlError('not_found', `There is no webhook with the id ${JSON.stringify(id)}.`);
  return stored;
}

/** @throws ControlError `conflict`. */
async function checkFree({ webhook }: Pick<AccountsQueries, 'webhook'>, name: string): Promise<void> {
  if (await webhook.findUnique({ where: { name } }))
    throw new ControlError('conflict', `There is a webhook of the name ${JSON.stringify(name)} already.`);
}

/** What waits for a webhook, and for its next try, waits no longer. */
async function sendWaiting({ webhookDelivery }: Pick<AccountsQueries, 'webhookDelivery'>, id: string): Promise<void> {
  await webhookDelivery.updateMany({ where: { webhookId: id, dueAt: { not: null } }, data: { dueAt: new Date() } });
}

/** Webhooks are the operator's, and so is what is written of them. */
async function audit(change: Change, actor: string, action: string, detail: AuditEntry['detail']): Promise<void> {
  const { id: accountId } = await operatorAccount(change, actor);
  await change.audit({ actor, action, accountId, detail });
}

function told({ id, name, host, form, kinds, createdAt, pausedAt }: StoredWebhook): Webhook {
  const known = kinds.flatMap((kind) => alertKind.safeParse(kind).data ?? []);
  const all = { id, name, host, form: webhookForm.parse(form), kinds: known, createdAt: createdAt.getTime() };
  return { ...all, paused: pausedAt !== null };
}
